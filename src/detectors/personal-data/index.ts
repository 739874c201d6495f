/** All kinds of personal data that are looked for. */
import type { Pattern } from "../pattern.ts";
import { email, phone } from "./contacts.ts";
import { NATIONAL_IDS } from "./national-id.ts";
import { iban, paymentCard } from "./payment.ts";

export const PERSONAL_DATA: readonly Pattern[] = [email, phone, iban, paymentCard, ...NATIONAL_IDS];
