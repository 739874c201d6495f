/** `npm run client --workspace @sluicegate/console`: writes the types of the console's client. */
import { writeFileSync } from "node:fs";
import { CLIENT_TYPES, clientTypes } from "./client-types.ts";

writeFileSync(CLIENT_TYPES, await clientTypes());
