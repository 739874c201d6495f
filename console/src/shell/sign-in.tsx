/** Asks for the operator's token, and tests it before it is stored. */
import { type FormEvent, type ReactNode, useState } from "react";
import { ApiError, type Schema } from "../api/client.ts";
import { keepToken, tokenProblem } from "../api/token.ts";
import { Logo } from "../gauge/logo.tsx";
import controls from "../styles/controls.module.css";
import { usePageTitle } from "./page-title.ts";
import styles from "./sign-in.module.css";

interface Problem {
  readonly message: string;
  readonly fix: string;
}

export function SignIn(): ReactNode {
  usePageTitle("Sign in");
  const [problem, setProblem] = useState<Problem | null>(knownProblem);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    setBusy(true);
    const found = await tryToken(String(given.get("token") ?? "").trim());
    setBusy(false);
    setProblem(found);
    if (found === null) keepToken(String(given.get("token")).trim(), given.has("stay"));
  };
  return (
    <main className={styles.page}>
      <form className={styles.form} onSubmit={(event) => void submit(event)}>
        <Logo size={40} />
        <h1>Sign in to Sluicegate</h1>
        <p className={controls.muted}>
          The operator's token is printed when the gateway first starts, and kept beside its store. It is not
          a session's token. If the policy gives you a token of your own, use that.
        </p>
        <label className={controls.label}>
          Operator's token, or your own
          <input
            className={controls.field}
            name="token"
            type="password"
            autoComplete="current-password"
            spellCheck={false}
            required
            aria-describedby={problem ? "sign-in-problem" : undefined}
          />
        </label>
        <label className={controls.check}>
          <input type="checkbox" name="stay" />
          Stay signed in on this device
        </label>
        {problem && (
          <p id="sign-in-problem" role="alert" className={styles.problem}>
            <strong>{problem.message}</strong> {problem.fix}
          </p>
        )}
        <button type="submit" className={`${controls.primary} ${controls.large}`} disabled={isBusy}>
          Sign in
        </button>
      </form>
    </main>
  );
}

/** Why the person has to sign in again, if they were signed in. */
function knownProblem(): Problem | null {
  const problem = tokenProblem();
  if (problem === null) return null;
  return problem === "session" ? SESSION_TOKEN : REFUSED;
}

/** Null if the token works here. */
async function tryToken(token: string): Promise<Problem | null> {
  try {
    // A token has no spaces; a header with other characters couldn't be sent.
    if (!/^[\x21-\x7e]+$/.test(token)) return REFUSED;
    const response = await fetch("/v1/identity", { headers: { authorization: `Bearer ${token}` } });
    if (response.ok) return mayLook(await response.json()) ? null : NOTHING_TO_SEE;
    if (response.status === 401) return REFUSED;
    if (response.status === 403) return SESSION_TOKEN;
    return { message: `The gateway answered with status ${response.status}.`, fix: "Look at its log." };
  } catch (error) {
    if (error instanceof ApiError) return { message: error.message, fix: error.fix };
    return { message: "The gateway can't be reached.", fix: "Is it running? Try again once it is." };
  }
}

const mayLook = ({ rights }: Schema<"Identity">): boolean =>
  rights.includes("look") || rights.includes("approve");

const NOTHING_TO_SEE: Problem = {
  message: "This token may neither look nor approve.",
  fix: "The console shows sessions and approvals. Ask the operator for the right `look` or `approve`.",
};

const REFUSED: Problem = {
  message: "This token is not known here.",
  fix: "Copy it again from the gateway's first output, or from the token file beside its store.",
};

const SESSION_TOKEN: Problem = {
  message: "This is a session's token.",
  fix: "It lets an agent use one session and nothing else. The console needs the operator's, or your own.",
};
