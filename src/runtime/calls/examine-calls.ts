/** What providers find out about calls, for a gate that has them in its own program. */
import { parseToolId } from "../../core/index.ts";
import type { CallFacts, CallView } from "../grant.ts";
import type { JsonObject, ToolProvider } from "../ports/provider.ts";

/** The `facts` of a gate whose sessions call these providers: each looks at its own calls, afresh every time. */
export function examineCalls(providers: readonly ToolProvider[]) {
  return async (
    call: { readonly tool: string; readonly arguments?: JsonObject },
    view: Pick<CallView, "tool"> & Partial<Pick<CallView, "labelHolder">>,
  ): Promise<CallFacts> => {
    // INVARIANT: a name means here what it means where the call is decided, so none of a tool's names goes unexamined.
    // THREAT: what a view doesn't see is not looked at, so that nothing can be learned by asking for it.
    const meant = view.tool(call.tool);
    const provider = providers.find(({ id }) => id === meant?.server);
    if (meant === null || provider?.examine === undefined) return {};
    const examined = await provider.examine(
      parseToolId(meant.id).tool,
      call.arguments ?? {},
      undefined,
      view.labelHolder,
    );
    return { examined };
  };
}
