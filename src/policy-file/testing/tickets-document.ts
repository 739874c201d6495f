/** For the tests of this folder: a small OpenAPI document. */

export const TICKETS = {
  openapi: "3.0.3",
  info: { title: "Tickets", version: "1" },
  paths: {
    "/tickets": {
      get: { operationId: "listTickets", responses: {} },
      post: { operationId: "createTicket", responses: {} },
    },
    "/tickets/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      get: { operationId: "getTicket", responses: {} },
      delete: { responses: {} },
    },
    "x-notes": {},
  },
};

export const TICKETS_JSON = JSON.stringify(TICKETS);

/** The same document with other keys at its top. */
export const ticketsWith = (changed: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ ...TICKETS, ...changed });
