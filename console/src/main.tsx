/** Starts the console. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { type ReactNode, StrictMode, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { replaceJsonParse } from "../../src/json/parse-json.ts";
import { ApiError } from "./api/client.ts";
import { currentToken, takeTokenFromAddress, watchToken } from "./api/token.ts";
import { LatticeProvider } from "./api/use-lattice.tsx";
import { router } from "./router.tsx";
import { Announcer } from "./shell/announcer.tsx";
import { KeyboardProvider } from "./shell/keys.tsx";
import { LiveProvider } from "./shell/live-provider.tsx";
import { SignIn } from "./shell/sign-in.tsx";
import "./styles/base.css";

// INVARIANT: before anything else runs, so that the token is removed from the address at once.
takeTokenFromAddress();
// An approver sees the names that were sent.
replaceJsonParse();

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The event stream reports outdated answers.
      staleTime: 60_000,
      retry: (failures, error) => !(error instanceof ApiError) && failures < 3,
      // A gateway on this machine can be reached without the internet.
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

// With another token, refused requests are repeated, and data fetched with the earlier one are dropped.
watchToken(() => {
  if (currentToken() === null) queries.clear();
  else void queries.invalidateQueries();
});

function App(): ReactNode {
  const token = useSyncExternalStore(watchToken, currentToken);
  if (token === null) return <SignIn />;
  return (
    <QueryClientProvider client={queries}>
      {/* What was announced goes as well when a person signs out. */}
      <Announcer>
        <LiveProvider>
          <LatticeProvider>
            <RouterProvider router={router} />
          </LatticeProvider>
        </LiveProvider>
      </Announcer>
    </QueryClientProvider>
  );
}

const root = document.getElementById("root");
if (root === null) throw new TypeError("The page has no place for the console.");
createRoot(root).render(
  <StrictMode>
    <KeyboardProvider>
      <App />
    </KeyboardProvider>
  </StrictMode>,
);
