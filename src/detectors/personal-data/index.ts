/** All kinds of personal data that are looked for. */
import type { Pattern } from "../pattern.ts";
import { email } from "./email.ts";
import { iban } from "./iban.ts";
import { NATIONAL_IDS } from "./national-id.ts";
import { paymentCard } from "./payment-card.ts";
import { phone } from "./phone.ts";

export const PERSONAL_DATA: readonly Pattern[] = [email, phone, iban, paymentCard, ...NATIONAL_IDS];
