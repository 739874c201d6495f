/**
 * Made from the gateway's OpenAPI document by `npm run client --workspace @sluicegate/console`; don't change it.
 */
export interface paths {
    "/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Open a clean session; answers its manifest and the token that may use it */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Who the session works for; `operator` by default. */
                        principal?: string;
                        /** @description A role of the policy. */
                        role?: string;
                        /** @description The user's own request. Kept out of the journal. */
                        task?: string;
                        /** @description Names of tools; they only narrow. */
                        tools?: string[];
                    };
                };
            };
            responses: {
                /** @description The session */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["OpenedSession"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a session holds now */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The state */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SessionState"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/{id}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Close a session for good and open a clean one for the same principal and role */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                /** @description The new session */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["OpenedSession"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/{id}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Open a session for the same principal that starts with this one's label and has no more tools */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Taken away from the fork, on top of what its parent lacks. */
                        tool_policy?: {
                            /** @description Only these, by name or pattern. */
                            allowed_tools?: string[];
                            denied_tools?: string[];
                            /** @description Tags that a tool must all have. */
                            require_tags?: string[];
                        };
                    };
                };
            };
            responses: {
                /** @description The fork */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["OpenedSession"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/{id}/words": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add what the user said; what it names may be used by calls that follow. Not for agents */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description What the user said. Kept as keyed digests. */
                        text: string;
                    };
                };
            };
            responses: {
                /** @description The session's state after it */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SessionState"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/{id}/manifest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What each tool is, and what calling it will block, as of now */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The manifest */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Manifest"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/{id}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the session's final answer may be given, by its role's clearance; it changes nothing */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The decision */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AnswerDecision"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/{id}/validate-plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check a planned sequence of calls; it authorises nothing */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        planned_calls: components["schemas"]["PlannedCall"][];
                    };
                };
            };
            responses: {
                /** @description The check */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PlanAnswer"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/{id}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ask once for a whole plan; approved, each of its calls may run once, as it was shown */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        planned_calls: components["schemas"]["PlannedCall"][];
                    };
                };
            };
            responses: {
                /** @description The plan's decision */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PlanDecision"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/{id}/decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Decide calls that the agent runs itself; an allowed one is admitted and raises the session */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Any name that means the tool. */
                        tool: string;
                        /**
                         * @description The tool's arguments, as a JSON object.
                         * @default {}
                         */
                        arguments?: {
                            [key: string]: unknown;
                        };
                        /**
                         * @description Seconds to be held for a person's answer, where the call asks for one.
                         * @default 0
                         */
                        wait?: number;
                    } | {
                        /** @description Decided and admitted in this order. */
                        calls: components["schemas"]["Call"][];
                    };
                };
            };
            responses: {
                /** @description The decision, or for a batch the decisions in order */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Decision"] | {
                            decisions: components["schemas"]["Decision"][];
                        };
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/{id}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tell how a call ended that the agent ran itself; a label that was found only raises */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description The `call_id` of a decision that allowed the call. */
                        call_id: string;
                        /** @description What the result turned out to carry; it only raises. */
                        label?: {
                            level?: string;
                            categories?: string[];
                            trust?: string;
                        };
                        /** @description The data set that it came from. */
                        dataset?: string;
                        /** @description Anything but null or false: the tool failed. A text is not kept. */
                        error?: null | boolean | string;
                    };
                };
            };
            responses: {
                /** @description The session's state after it */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SessionState"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/{id}/report-impossible": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say that the task can't be done; what waits for a person in this session is cancelled */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Why the task can't be done. */
                        reason: string;
                    };
                };
            };
            responses: {
                /** @description It is recorded */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Acknowledged"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/{id}/appeal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say in one sentence why a refused call should run; a person sees it, and it grants nothing */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description The `call_id` of a decision that refused a call of this session lately. */
                        call_id: string;
                        /** @description Why it should run: one sentence of at most 500 visible characters. */
                        text: string;
                    };
                };
            };
            responses: {
                /** @description It is recorded */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            acknowledged: true;
                            call_id: string;
                        };
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/{id}/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Decide a call and, where it is allowed, run it at its server */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Any name that means the tool. */
                        tool: string;
                        /**
                         * @description The tool's arguments, as a JSON object.
                         * @default {}
                         */
                        arguments?: {
                            [key: string]: unknown;
                        };
                        /**
                         * @description Seconds to be held for a person's answer, where the call asks for one.
                         * @default 0
                         */
                        wait?: number;
                    };
                };
            };
            responses: {
                /** @description The decision, and the result where it ran */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CallAnswer"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/{id}/journal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A session's journal, hash-chained */
        get: {
            parameters: {
                query?: {
                    after?: number;
                    limit?: number;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Entries after `after`, oldest first */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Journal"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All sessions, the one in which something happened last first */
        get: {
            parameters: {
                query?: {
                    /** @description A part of the principal's name. */
                    principal?: string;
                    role?: string;
                    level?: string;
                    /** @description Whether a call was denied in it. */
                    refused?: "true" | "false";
                    /** @description Whether a call waits in it for a person. */
                    waiting?: "true" | "false";
                    closed?: "true" | "false";
                    limit?: number;
                    after?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The sessions that fit */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Sessions"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/{id}/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The tools that a session sees, what each is, whether it is blocked and what it would block */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The tools, in the policy's order */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SessionTools"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/{id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What happened in a session: each call with its verdict, what it raised and what it blocked */
        get: {
            parameters: {
                query?: {
                    before?: number;
                    limit?: number;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The newest ones before `before`, oldest first */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Timeline"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/identity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who the token stands for, and what they may do */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The principal with its rights */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Identity"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Calls that wait for a person, one of each session unless more are asked for; or those that are over */
        get: {
            parameters: {
                query?: {
                    status?: "pending" | "queued" | "all" | "ended";
                    via?: "console" | "terminal";
                    /** @description Those alone that wait and are like this one, itself among them: all of them count as shown. */
                    like?: string;
                    /** @description Cut texts of the arguments and the diff to so many characters, and show the first of many values; 0 cuts nothing. */
                    fold?: number;
                    /** @description At most so many. */
                    limit?: number;
                    /** @description Pass over so many: a list holds as many as have room, and the next call asks on. */
                    offset?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The first of each session with its forks, then the second of each, and so on; of `ended`, the newest first */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Approvals"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{approval}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One approval as it is shown to a person, or how it ended */
        get: {
            parameters: {
                query?: {
                    via?: "console" | "terminal";
                    /** @description Cut texts of the arguments and the diff to so many characters, and show the first of many values; 0 cuts nothing. */
                    fold?: number;
                };
                header?: never;
                path: {
                    approval: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description What waits, or what was decided */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Approval"] | components["schemas"]["EndedApproval"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{approval}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say yes to a call that waits: it is admitted once, with other arguments where they are given */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    approval: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description Left out: another program's, over the API.
                         * @enum {string}
                         */
                        via?: "console" | "terminal";
                        /** @description For the journal, in the person's own words. */
                        why?: string;
                        /** @description Yes, and calls like this: they run without another question. */
                        standing?: {
                            /** @description By top-level argument. `prefix` is a folder or an address: itself and what lies in it. An argument that isn't named has the value of the call that is approved, or is left out. */
                            arguments?: {
                                [key: string]: {
                                    equals: unknown;
                                } | {
                                    one_of: unknown[];
                                } | {
                                    prefix: string;
                                } | {
                                    at_most: number;
                                } | {
                                    /** @constant */
                                    any: true;
                                };
                            };
                            /**
                             * @description Whose calls.
                             * @enum {string}
                             */
                            for?: "session" | "principal" | "role";
                            /** @description By default what the session held when it asked. */
                            ceiling?: {
                                level?: string;
                                categories?: string[];
                                trust?: string;
                            };
                            /** @description Such as `8h` (the default), or a time in RFC 3339; 30 days at most. */
                            expires?: string;
                            /** @description Calls that it admits; 20 by default, 1,000 at most. */
                            count?: number;
                        };
                        /** @description All arguments as the call is to run. It is decided again with every check; where it would be denied, or asked about for another reason, the answer is 409 `edit-refused` and the approval still waits. */
                        arguments?: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            responses: {
                /** @description Whoever answers otherwise from now on gets 409 */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AnsweredApproval"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{approval}/standing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What a yes to this call and calls like it would say, in words; nothing is given */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    approval: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description By top-level argument. `prefix` is a folder or an address: itself and what lies in it. An argument that isn't named has the value of the call that is approved, or is left out. */
                        arguments?: {
                            [key: string]: {
                                equals: unknown;
                            } | {
                                one_of: unknown[];
                            } | {
                                prefix: string;
                            } | {
                                at_most: number;
                            } | {
                                /** @constant */
                                any: true;
                            };
                        };
                        /**
                         * @description Whose calls.
                         * @enum {string}
                         */
                        for?: "session" | "principal" | "role";
                        /** @description By default what the session held when it asked. */
                        ceiling?: {
                            level?: string;
                            categories?: string[];
                            trust?: string;
                        };
                        /** @description Such as `8h` (the default), or a time in RFC 3339; 30 days at most. */
                        expires?: string;
                        /** @description Calls that it admits; 20 by default, 1,000 at most. */
                        count?: number;
                    };
                };
            };
            responses: {
                /** @description To be sent with a yes */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StandingOffer"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{approval}/deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say no to a call that waits */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    approval: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description Left out: another program's, over the API.
                         * @enum {string}
                         */
                        via?: "console" | "terminal";
                        /** @description For the journal, in the person's own words. */
                        why?: string;
                    };
                };
            };
            responses: {
                /** @description Whoever answers otherwise from now on gets 409 */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AnsweredApproval"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/deny-departed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say no to all calls whose caller has gone, each by itself */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description Left out: another program's, over the API.
                         * @enum {string}
                         */
                        via?: "console" | "terminal";
                        /** @description For the journal, in the person's own words. */
                        why?: string;
                    };
                };
            };
            responses: {
                /** @description Which were denied */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeniedApprovals"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/appeals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What agents said on refused calls in the last day, newest first, a few of each session */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Appeals grant nothing by themselves */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Appeals"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/standing-approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Standing approvals that are in force, with their uses */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Oldest first */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StandingApprovals"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/standing-approvals/{standing}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End a standing approval at once */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    standing: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The one that has ended */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StandingApproval"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/freezes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The freezes in force */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Oldest first */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Freezes"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/freeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop everything, or all calls of one principal, session, server or tool */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["FreezeRequest"];
                };
            };
            responses: {
                /** @description The freeze that is in force */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Freeze"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/freeze/{freeze}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End a freeze */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    freeze: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The one that has ended */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Freeze"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether each tool's definition is the accepted one, and what differs where it isn't */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The tools that servers offer, and accepted ones that none does */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ToolReviews"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Accept the definition that was looked at; 409 with the present one where it has changed since */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Any name that means the tool. */
                        tool: string;
                        /** @description The `offered_hash` of the definition that was looked at. */
                        hash: string;
                    };
                };
            };
            responses: {
                /** @description The tool; every session has it again */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ToolReview"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sign-ins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The servers that ask for OAuth, and whether the caller's calls can be made there */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description In the policy's order */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignIns"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{server}/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begin to sign in to a server, for oneself or for the gateway */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    server: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SignInRequest"];
                };
            };
            responses: {
                /** @description Open this address in a browser */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignInStarted"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        /** Sign out: the tokens are deleted, and revoked where their server can */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    server: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description What was done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignedOut"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{server}/sign-in/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Finish it with what the authorization server answered */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    server: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SignInAnswer"];
                };
            };
            responses: {
                /** @description Signed in */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignIn"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{server}/sign-in/exchange": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in with the JWT of this request, which the server's authorization server exchanges */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    server: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Signed in */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignIn"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The policy in force: levels, servers, tools, roles, rules */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The policy */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Policy"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policy/flows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Which sources' data may go to which sinks */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Sources against sinks */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Flows"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policy/reload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read the policy file again and put it in force; what it may allow beyond the one before is told */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReloadRequest"];
                };
            };
            responses: {
                /** @description The policy that is in force now */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Reloaded"];
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether each server has answered or was given up for now, what they offer is pinned, and the store can be written */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Ready */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            ready: boolean;
                            /** @description It is stopping: no new calls are taken. */
                            draining: boolean;
                            /** @description How the last write to the store went; null where nothing was written yet. */
                            store: {
                                ok: boolean;
                                at: string;
                                problem: string | null;
                            } | null;
                            /** @description The policy by which another gateway on the store decides; null if none is known to. */
                            other_policy: {
                                version: string;
                                since: string;
                            } | null;
                            servers: {
                                id: string;
                                status: string;
                                problem: string | null;
                                tools: number;
                            }[];
                        };
                    };
                };
                /** @description Not ready yet, or stopping */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            ready: boolean;
                            /** @description It is stopping: no new calls are taken. */
                            draining: boolean;
                            /** @description How the last write to the store went; null where nothing was written yet. */
                            store: {
                                ok: boolean;
                                at: string;
                                problem: string | null;
                            } | null;
                            /** @description The policy by which another gateway on the store decides; null if none is known to. */
                            other_policy: {
                                version: string;
                                since: string;
                            } | null;
                            servers: {
                                id: string;
                                status: string;
                                problem: string | null;
                                tools: number;
                            }[];
                        };
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every journal entry as it becomes durable, as server-sent events
         * @description The `id` of an event is its position, its name the entry's kind, its data the entry with its `session_id`. An event `hello` comes first: its data are the gateway's version and the policy's, its `id` the position after which the stream begins. That is the newest one where a later one was asked for than there is, as after the store was replaced. Where both are given, `Last-Event-ID` counts.
         */
        get: {
            parameters: {
                query?: {
                    /** @description The position after which it begins, 0 for the first entry; `latest` for only what is new. */
                    after?: number | "latest";
                };
                header?: {
                    /** @description The position that an earlier stream gave last, to go on behind it. */
                    "Last-Event-ID"?: number;
                };
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The stream; it stays open */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
                /** @description What happened, why, and how to fix it */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        OpenedSession: {
            session_id: string;
            tools: {
                name: string;
                /** @enum {string} */
                sensitivity: "internal_source" | "external" | "both" | "neutral";
                /** @description Begins with "none" where calling it blocks nothing. */
                consequence: string;
            }[];
            ordering_hint: string;
            /** @description The planning constraint for the agent's system prompt. */
            prompt: string;
            label: components["schemas"]["Label"];
            session_token: string;
        };
        /** @description What data carries. Always all three parts. */
        Label: {
            /** @description A level of the policy; `*` is above them all. */
            level: string;
            categories: string[];
            trust: string;
        };
        Error: {
            error: {
                code: string;
                message: string;
                why: string;
                fix: string;
            };
        };
        /** @description The same as RFC 9457 has it, where `Accept` asks for that. */
        Problem: {
            /** @description `urn:sluicegate:error:` and the code. */
            type: string;
            title: string;
            status: number;
            detail: string;
            code: string;
            why: string;
            fix: string;
        };
        SessionState: {
            session_id: string;
            principal: string;
            role: string | null;
            private: boolean;
            label: components["schemas"]["Label"];
            datasets: {
                id: string;
                sensitivity: string;
                at: string;
                call: string | null;
            }[];
            effects: string[];
            calls: number;
            pending: {
                id: string;
                tool: string;
                expires_at: string;
            } | null;
            /** @description The agent said that its task can't be done. */
            impossible: {
                at: string;
                reason: string;
            } | null;
            closed: boolean;
        };
        Manifest: {
            session_id: string;
            tools: {
                name: string;
                /** @enum {string} */
                sensitivity: "internal_source" | "external" | "both" | "neutral";
                /** @description Begins with "none" where calling it blocks nothing. */
                consequence: string;
            }[];
            ordering_hint: string;
            /** @description The planning constraint for the agent's system prompt. */
            prompt: string;
            label: components["schemas"]["Label"];
        };
        AnswerDecision: {
            /** @enum {string} */
            effect: "allow" | "deny";
            reasons: components["schemas"]["Reason"][];
            /** @description The session's, which the answer has. */
            label: components["schemas"]["Label"];
        };
        Reason: {
            code: string;
            message: string;
            caused_by: {
                step: number | null;
                tool: string | null;
                dataset: string;
            }[];
            /** @description The rule of the policy that denies the call or asks. */
            rule?: string;
            /** @description The argument that isn't the user's word, by its path; never its value. */
            argument?: string | null;
            /** @description The call, counted from 1, whose result held that value first. */
            first_seen?: {
                call: number;
                tool: string;
                trust: string;
            } | null;
        };
        PlanAnswer: {
            valid: boolean;
            violations: {
                /** @description Counted from 0. */
                at_step: number;
                tool: string;
                code: string;
                reason: string;
                suggestion: string;
            }[];
            /** @description Null where no order is safe; `undetermined` where the search for one would take longer than it may. */
            safe_ordering: (string[] | "undetermined") | null;
            approvals: {
                at_step: number;
                tool: string;
                reason: string;
            }[];
            /** @description How often a person is asked in the order given. */
            questions: number;
            /** @description An order with fewer questions, the fewest that was found, where there is one. */
            fewest_questions?: string[];
            /** @description How many questions that order saves. */
            questions_saved?: number;
            in_the_way: string[];
            ways_out: string[];
            /** @description The plan played in the order given; a step that would ask counts as approved. */
            steps: {
                at_step: number;
                tool: string;
                /** @enum {string} */
                effect: "allow" | "ask" | "deny";
                /** @description What it would add to the session's label. */
                raises: components["schemas"]["Label"] | null;
                /** @description The session's after it; a step that is refused adds nothing. */
                label: components["schemas"]["Label"];
                /** @description The names of the tools that it would shut. */
                shut: string[];
                /** @description Whether arguments that aren't known were taken at their worst. */
                depends_on_arguments: boolean;
            }[];
        };
        PlannedCall: string | {
            /** @description A name for this step, for `after`. */
            id?: string;
            /** @description Any name that means the tool. */
            tool: string;
            /** @description The tool's arguments, as a JSON object. */
            arguments?: {
                [key: string]: unknown;
            };
            /** @description Ids of steps that must come before. */
            after?: string[];
        };
        PlanDecision: {
            valid: boolean;
            violations: {
                /** @description Counted from 0. */
                at_step: number;
                tool: string;
                code: string;
                reason: string;
                suggestion: string;
            }[];
            /** @description Null where no order is safe; `undetermined` where the search for one would take longer than it may. */
            safe_ordering: (string[] | "undetermined") | null;
            approvals: {
                at_step: number;
                tool: string;
                reason: string;
            }[];
            /** @description How often a person is asked in the order given. */
            questions: number;
            /** @description An order with fewer questions, the fewest that was found, where there is one. */
            fewest_questions?: string[];
            /** @description How many questions that order saves. */
            questions_saved?: number;
            in_the_way: string[];
            ways_out: string[];
            /** @description The plan played in the order given; a step that would ask counts as approved. */
            steps: {
                at_step: number;
                tool: string;
                /** @enum {string} */
                effect: "allow" | "ask" | "deny";
                /** @description What it would add to the session's label. */
                raises: components["schemas"]["Label"] | null;
                /** @description The session's after it; a step that is refused adds nothing. */
                label: components["schemas"]["Label"];
                /** @description The names of the tools that it would shut. */
                shut: string[];
                /** @description Whether arguments that aren't known were taken at their worst. */
                depends_on_arguments: boolean;
            }[];
            /**
             * @description `allow`: nobody has to be asked for the plan, or somebody has approved it.
             * @enum {string}
             */
            effect: "allow" | "ask" | "deny";
            /** @description Why it is denied. */
            reasons: string[];
            approval: {
                id: string;
                /** @constant */
                status: "pending";
                expires_at: string;
            } | null;
            /** @description The approved plan: each step that is left may run once. */
            lease: {
                approval_id: string;
                expires_at: string;
                /** @description Steps of the plan, counted from 0. */
                steps_left: number[];
            } | null;
            /** @description Steps that ask by themselves once they are made: the plan doesn't give their arguments. */
            asks_later: number[];
        };
        Decision: {
            call_id: string;
            /** @enum {string} */
            effect: "allow" | "ask" | "deny";
            /**
             * @description What a refusal leaves the agent to do. `retry`: the call may run after a change, or later; `person`: a person has to say yes; `never`: it doesn't run in this session.
             * @enum {string}
             */
            class?: "retry" | "person" | "never";
            tool: string;
            reasons: components["schemas"]["Reason"][];
            /** @description Where the session was refused this tool for these reasons before: one short sentence for the model, in place of theirs. */
            repeated?: string;
            faults: {
                code: string;
                message: string;
            }[];
            raises: components["schemas"]["Label"] | null;
            label: components["schemas"]["Label"];
            approval: {
                id: string;
                /** @constant */
                status: "pending";
                expires_at: string;
            } | null;
        };
        Call: {
            /** @description Any name that means the tool. */
            tool: string;
            /**
             * @description The tool's arguments, as a JSON object.
             * @default {}
             */
            arguments: {
                [key: string]: unknown;
            };
        };
        Acknowledged: {
            /** @constant */
            acknowledged: true;
            reason: string;
        };
        CallAnswer: {
            call_id: string;
            /** @enum {string} */
            effect: "allow" | "ask" | "deny";
            /**
             * @description What a refusal leaves the agent to do. `retry`: the call may run after a change, or later; `person`: a person has to say yes; `never`: it doesn't run in this session.
             * @enum {string}
             */
            class?: "retry" | "person" | "never";
            tool: string;
            reasons: components["schemas"]["Reason"][];
            /** @description Where the session was refused this tool for these reasons before: one short sentence for the model, in place of theirs. */
            repeated?: string;
            faults: {
                code: string;
                message: string;
            }[];
            raises: components["schemas"]["Label"] | null;
            label: components["schemas"]["Label"];
            approval: {
                id: string;
                /** @constant */
                status: "pending";
                expires_at: string;
            } | null;
            /** @description What a person changed of it, with values where the session may hold them. */
            edited?: {
                by: string;
                changed: {
                    argument: string;
                    value?: unknown;
                }[];
            };
            /** @description The tool's result, in MCP's shape, where it ran. */
            result?: {
                [key: string]: unknown;
            };
            /** @description Why nothing came back, where it was admitted and failed. */
            error?: {
                code: string;
                message: string;
                why: string;
                fix: string;
            };
        };
        Journal: {
            events: {
                seq: number;
                kind: string;
                at: string;
                policy: string;
                prev: string;
                hash: string;
                data: {
                    [key: string]: unknown;
                };
            }[];
            /** @description What to pass as `after` for what comes next. */
            next: number;
        };
        Sessions: {
            sessions: components["schemas"]["SessionSummary"][];
            /** @description How many there are that fit the filters. */
            total: number;
            /** @description What to pass as `after` for those that come next; null at the end. */
            next: string | null;
        };
        SessionSummary: {
            session_id: string;
            principal: string;
            role: string | null;
            label: components["schemas"]["Label"];
            private: boolean;
            calls: number;
            /** @description Calls that were denied. */
            refused: number;
            /** @description Calls that wait for a person. */
            waiting: number;
            opened_at: string;
            /** @description When something last happened in it. */
            last_at: string;
            impossible: boolean;
            closed: boolean;
            gauge: components["schemas"]["Gauge"];
        };
        /** @description A session as a channel: how high its label stands, and the gates to the outside at their heights. */
        Gauge: {
            /** @description The place of the session's level among the policy's, 0 the lowest; their number: above all. */
            level: number;
            gates: {
                /** @description The place of the highest level that may pass. */
                height: number;
                shut: boolean;
                /** @description Where it is shut, a person may let one call pass. */
                releasable: boolean;
                /** @description How many tools stand behind it. */
                tools: number;
                /** @description The first of them. */
                names: string[];
            }[];
        };
        SessionTools: {
            session_id: string;
            label: components["schemas"]["Label"];
            gauge: components["schemas"]["Gauge"];
            tools: {
                /** @description Its identity. */
                tool: string;
                /** @description The name that agents see. */
                name: string;
                /** @description Null: the agent runs it itself. */
                server: string | null;
                permissions: ("read" | "write" | "connect")[];
                /** @description What calling it brings into a session; null: nothing. */
                source: components["schemas"]["Label"] | null;
                /** @description What may be sent to it, each by itself enough; null: it sends nothing out. */
                clearances: components["schemas"]["Label"][] | null;
                /** @description The place of the highest level that it may receive; null: it sends nothing out. */
                height: number | null;
                /** @description A person may release a call that the label doesn't let pass. */
                releasable: boolean;
                /** @enum {string} */
                approval: "always" | "never" | "condition";
                /** @description The condition under which a person is asked. */
                when: string | null;
                tags: string[];
                classified: boolean;
                /** @enum {string} */
                sensitivity: "internal_source" | "external" | "both" | "neutral";
                /** @description What the session holds may not go to it. */
                blocked: boolean;
                /** @description The names of the first 50 tools that calling it would shut. */
                shuts: string[];
                consequence: string;
            }[];
        };
        Timeline: {
            session_id: string;
            /** @description The version of the policy by which `shut` and sentences are told. */
            policy: string;
            events: (components["schemas"]["TimelineCall"] | components["schemas"]["TimelineNote"])[];
            /** @description How many there are in all. */
            total: number;
            /** @description What to pass as `before` for those before these; null where there are none. */
            earlier: number | null;
        };
        TimelineCall: {
            /** @constant */
            kind: "call";
            /** @description The journal's entry that decided it. */
            seq: number;
            at: string;
            /** @description Counted from 0 over all calls of the session. */
            step: number;
            call_id: string;
            /** @description Its identity, or the name that was given where it means none. */
            tool: string;
            name: string;
            /** @enum {string} */
            effect: "allow" | "ask" | "deny";
            /**
             * @description `answered`: it asked, and that was answered or ended; see `approval`.
             * @enum {string}
             */
            outcome: "running" | "ok" | "error" | "unknown" | "refused" | "waiting" | "answered";
            finished_at: string | null;
            milliseconds: number | null;
            reasons: components["schemas"]["Reason"][];
            trail: components["schemas"]["TrailEntry"][];
            /** @description What it added to the session's label. */
            raises: components["schemas"]["Label"] | null;
            dataset: string | null;
            /** @description The session's, after it. */
            label: components["schemas"]["Label"];
            /** @description The names of the tools that it shut. */
            shut: string[];
            release: boolean;
            approval: {
                id: string;
                /** @enum {string} */
                status: "pending" | "approved" | "denied" | "expired" | "cancelled";
                answered_by: string | null;
                via: string | null;
                /** @description The person's own words. */
                why: string | null;
                ended_at: string | null;
            } | null;
        };
        TrailEntry: {
            /** @enum {string} */
            check: "exists" | "policy" | "visible" | "permissions" | "rules" | "flow" | "endorsement" | "approval" | "facts";
            /** @enum {string} */
            result: "pass" | "ask" | "deny" | "skipped";
            reasons: components["schemas"]["Reason"][];
        };
        TimelineNote: {
            /** @enum {string} */
            kind: "opened" | "said" | "raised" | "impossible" | "appealed" | "closed" | "unreadable";
            seq: number;
            at: string;
            /** @description What happened, as a sentence. */
            text: string;
            /** @description The refused call that the agent appealed, and its own words; null once the session is reset. */
            appeal?: {
                call_id: string;
                text: string | null;
            };
            /** @description The session's, after it. */
            label: components["schemas"]["Label"];
            shut: string[];
        };
        Identity: {
            /** @description `operator` for the operator's token. */
            principal: string;
            rights: ("use" | "look" | "approve" | "administer")[];
        };
        Approvals: {
            approvals: (components["schemas"]["Approval"] | components["schemas"]["RecentApproval"])[];
        };
        Approval: {
            id: string;
            /**
             * @description Of each session one is `pending`, the oldest whose call is held, or else the oldest; the others queue behind it.
             * @enum {string}
             */
            status: "pending" | "queued";
            session_id: string;
            principal: string;
            /** @description How many different people must say yes; one no ends it. */
            approvers: number;
            /** @description Those who have said yes. */
            approved_by: string[];
            call_id: string;
            /** @description Its identity. */
            tool: string;
            /** @description What an approval permits, as a sentence for a person. */
            what: string;
            /** @description What the policy says of the tool; null where it doesn't have it any more. */
            facts: components["schemas"]["ToolFacts"] | null;
            arguments: {
                [key: string]: unknown;
            };
            /** @description What was cut to the length that `fold` names. The approval by itself has all of it. */
            folded: {
                /** @enum {string} */
                part: "arguments" | "diff";
                /** @description A JSON Pointer into the arguments; empty for the diff. */
                pointer: string;
                /** @description How long the whole is. */
                characters: number;
            }[];
            /** @description Where what the session holds came from: the first twenty that raised it, oldest first. */
            held: {
                step: number | null;
                /** @description Its name. */
                tool: string | null;
                dataset: string;
                /** @description Whether the label and the data set are the agent's own words, from a report. */
                reported: boolean;
                label: components["schemas"]["Label"];
                /** @description How many more categories its label has. */
                more_categories: number;
                at: string;
            }[];
            /** @description What the session holds now. */
            session_label: components["schemas"]["Label"];
            /** @description How many more raised it. */
            more_held: number;
            gauge: components["schemas"]["Gauge"];
            /** @description Calls like it that may be approved with it, what the last three had in common that a person approved; null unless it is shown and there were three. */
            proposal: components["schemas"]["StandingOffer"] | null;
            reasons: components["schemas"]["Reason"][];
            /** @description Why a person is asked, in sentences for that person. */
            why: string[];
            /** @description Whether its arguments may be changed with the yes: not where the agent runs the call itself. */
            editable: boolean;
            /** @description Whether a yes releases what this session's label may not send to the tool. */
            release: boolean;
            targets: {
                /** @description Canonical and absolute. */
                path: string;
            }[];
            /** @description What the call would change, as a unified diff. */
            diff: string | null;
            label: components["schemas"]["Label"];
            requested_at: string;
            expires_at: string;
            waiting_behind: number;
            /** @description Whether this gateway holds a call for it at this moment. A caller that isn't held may come back. */
            caller_waits: boolean;
            /** @description Whether its caller was at this gateway, and has been gone for a minute. Shown last, and denied together by `deny-departed`. */
            caller_gone: boolean;
            /** @description How many others wait of the same principal, for the same tool and the same reasons: `like` lists them. */
            alike: number;
        };
        ToolFacts: {
            /** @description Its identity. */
            tool: string;
            /** @description The name that agents see. */
            name: string;
            /** @description Null: the agent runs it itself. */
            server: string | null;
            permissions: ("read" | "write" | "connect")[];
            /** @description What calling it brings into a session; null: nothing. */
            source: components["schemas"]["Label"] | null;
            /** @description What may be sent to it, each by itself enough; null: it sends nothing out. */
            clearances: components["schemas"]["Label"][] | null;
            /** @description The place of the highest level that it may receive; null: it sends nothing out. */
            height: number | null;
            /** @description A person may release a call that the label doesn't let pass. */
            releasable: boolean;
            /** @enum {string} */
            approval: "always" | "never" | "condition";
            /** @description The condition under which a person is asked. */
            when: string | null;
            tags: string[];
            classified: boolean;
            /** @enum {string} */
            sensitivity: "internal_source" | "external" | "both" | "neutral";
        };
        StandingOffer: {
            /** @description What it would cover, in one sentence. */
            words: string;
            /** @description Sent as `standing` with a yes, it gives exactly that. */
            standing: {
                /** @description By top-level argument. `prefix` is a folder or an address: itself and what lies in it. An argument that isn't named has the value of the call that is approved, or is left out. */
                arguments: {
                    [key: string]: {
                        equals: unknown;
                    } | {
                        one_of: unknown[];
                    } | {
                        prefix: string;
                    } | {
                        at_most: number;
                    } | {
                        /** @constant */
                        any: true;
                    };
                };
                /**
                 * @description Whose calls.
                 * @enum {string}
                 */
                for: "session" | "principal" | "role";
                ceiling: components["schemas"]["Label"];
                expires: string;
                count: number;
            };
        };
        RecentApproval: {
            id: string;
            /** @enum {string} */
            status: "approved" | "denied" | "expired" | "cancelled";
            session_id: string;
            answered_by: string | null;
            via: string | null;
            ended_at: string;
            tool: string;
            name: string;
            principal: string;
            /** @description The person's own words. */
            why: string | null;
        };
        EndedApproval: {
            id: string;
            /** @enum {string} */
            status: "approved" | "denied" | "expired" | "cancelled";
            session_id: string;
            answered_by: string | null;
            via: string | null;
            ended_at: string;
        };
        AnsweredApproval: {
            id: string;
            /**
             * @description `pending`: this was one of the yeses that it takes.
             * @enum {string}
             */
            status: "approved" | "denied" | "pending";
            session_id: string;
            answered_by: string;
            via: string | null;
            answered_at: string;
            /** @description Paths of the arguments that were changed with the yes. */
            changed?: string[];
            /** @description The standing approval that was given with it. */
            standing?: string;
            /** @description How many different people must say yes; one no ends it. */
            approvers?: number;
            /** @description Those who have said yes. */
            approved_by?: string[];
        };
        DeniedApprovals: {
            /** @description Their ids. */
            denied: string[];
        };
        Appeals: {
            appeals: {
                session_id: string;
                principal: string;
                /** @description The refused call. */
                call_id: string;
                /** @description Its identity. */
                tool: string;
                name: string;
                /** @description The agent's own words. They grant nothing. */
                text: string;
                /** @description The session's when they were said; the words carry it. */
                label: components["schemas"]["Label"];
                at: string;
            }[];
        };
        StandingApprovals: {
            standing_approvals: components["schemas"]["StandingApproval"][];
        };
        StandingApproval: {
            id: string;
            /** @description What it covers, in one sentence. */
            words: string;
            tool: string;
            /** @description By top-level argument. `prefix` is a folder or an address: itself and what lies in it. An argument that isn't named has the value of the call that is approved, or is left out. */
            arguments: {
                [key: string]: {
                    equals: unknown;
                } | {
                    one_of: unknown[];
                } | {
                    prefix: string;
                } | {
                    at_most: number;
                } | {
                    /** @constant */
                    any: true;
                };
            };
            /** @description The arguments of the call that was approved. */
            given: {
                [key: string]: unknown;
            };
            /**
             * @description Whose calls.
             * @enum {string}
             */
            for: "session" | "principal" | "role";
            session_id: string;
            principal: string;
            role: string | null;
            /** @description What it waives. */
            causes: string[];
            /** @description It holds while the session's label flows to this. */
            ceiling: components["schemas"]["Label"];
            given_by: string;
            given_at: string;
            expires_at: string;
            count: number;
            used: number;
            /** @description The newest, at most 20. */
            uses: {
                session_id: string;
                call_id: string;
                at: string;
            }[];
        };
        Freezes: {
            freezes: components["schemas"]["Freeze"][];
        };
        /** @description Stops the one that is named; everything where none is. */
        Freeze: {
            id: string;
            principal: string | null;
            session: string | null;
            server: string | null;
            tool: string | null;
            by: string;
            why: string | null;
            at: string;
        };
        /** @description One of them, or none for everything. */
        FreezeRequest: {
            principal?: string;
            session?: string;
            server?: string;
            tool?: string;
            why?: string;
        };
        ToolReviews: {
            tools: components["schemas"]["ToolReview"][];
        };
        ToolReview: {
            /** @description Its identity. */
            tool: string;
            server: string;
            name: string;
            /** @enum {string} */
            status: "pinned" | "changed" | "unclassified" | "missing";
            /** @description Of the accepted definition. */
            hash: string | null;
            /** @description Of the definition that its server offers now. */
            offered_hash: string | null;
            difference: {
                /** @description A JSON Pointer. */
                path: string;
                /** @description JSON text, cut to a length; null: nothing. */
                before: string | null;
                after: string | null;
            }[];
            /** @description How many more there are than are listed. */
            more_differences: number;
            problem: string | null;
            /** @description Where its server says that it does more than is declared. */
            doubt: string | null;
        };
        SignIns: {
            sign_ins: components["schemas"]["SignIn"][];
        };
        /** @description Whether calls to a server can be made with a token, and no token. */
        SignIn: {
            server: string;
            /** @enum {string} */
            for: "gateway" | "principal";
            signed_in: boolean;
            issuer: string | null;
            scope: string | null;
            expires_at: string | null;
        };
        /** @description Where the person's browser goes first. */
        SignInStarted: {
            url: string;
        };
        /** @description Where the browser goes at the end: a port of this machine. */
        SignInRequest: {
            redirect_uri: string;
        };
        /** @description What the authorization server sent with the browser. */
        SignInAnswer: {
            state: string;
            code?: string;
            error?: string;
            iss?: string;
        };
        /** @description `revoked`: its authorization server took the tokens back. */
        SignedOut: {
            signed_out: boolean;
            revoked: boolean;
        };
        Policy: {
            version: string;
            /** @description Lowest first. */
            levels: string[];
            /** @description Lowest first. */
            trust: string[];
            /** @enum {string} */
            unclassified: "withhold" | "ask";
            approvals: {
                via: string[];
                expires_seconds: number;
                wait_seconds: number;
            };
            rules: {
                /** @description Null: every tool. */
                allowed_tools: string[] | null;
                denied_tools: string[];
                require_tags: string[];
            };
            servers: {
                id: string;
                status: string;
                problem: string | null;
                /** @description How many it offers. */
                tools: number;
                /** @description Of what comes outside a tool: resources, prompts, notices. */
                source: components["schemas"]["Label"] | null;
                clearances: components["schemas"]["Label"][] | null;
            }[];
            tools: {
                /** @description Its identity. */
                tool: string;
                /** @description The name that agents see. */
                name: string;
                /** @description Null: the agent runs it itself. */
                server: string | null;
                permissions: ("read" | "write" | "connect")[];
                /** @description What calling it brings into a session; null: nothing. */
                source: components["schemas"]["Label"] | null;
                /** @description What may be sent to it, each by itself enough; null: it sends nothing out. */
                clearances: components["schemas"]["Label"][] | null;
                /** @description The place of the highest level that it may receive; null: it sends nothing out. */
                height: number | null;
                /** @description A person may release a call that the label doesn't let pass. */
                releasable: boolean;
                /** @enum {string} */
                approval: "always" | "never" | "condition";
                /** @description The condition under which a person is asked. */
                when: string | null;
                tags: string[];
                classified: boolean;
                /** @enum {string} */
                sensitivity: "internal_source" | "external" | "both" | "neutral";
                /** @description Codes of the rules that take it from everybody. */
                removed: string[];
                /** @description Withheld, since its definition isn't the accepted one. */
                changed: boolean;
            }[];
            roles: {
                name: string;
                /** @description Null: what its tools declare. */
                permissions: string[] | null;
                /** @description The identities of the tools that it ends up with. */
                tools: string[];
            }[];
        };
        /** @description Tools with the same label or the same clearances stand together. */
        Flows: {
            sources: {
                label: components["schemas"]["Label"];
                /** @description Their identities. */
                tools: string[];
            }[];
            sinks: {
                clearances: components["schemas"]["Label"][];
                releasable: boolean;
                /** @description Their identities. */
                tools: string[];
            }[];
            /** @description By source, then by sink: may data of this source's label go there? */
            cells: ("may" | "release" | "may-not")[][];
        };
        /** @description `widens`: what it may allow beyond the one before. */
        Reloaded: {
            version: string;
            changed: boolean;
            widens: string[];
        };
        ReloadRequest: {
            allow_widening?: boolean;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
