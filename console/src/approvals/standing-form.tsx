/**
 * "Yes, and calls like this": which calls are meant, in words before they are approved. The gateway makes the
 * sentence, and exactly the request behind it is sent with the approval.
 */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { ApiError, answerOf, api } from "../api/client.ts";
import type { Approval, StandingOffer, StandingRequest } from "../api/queries.ts";
import { useLattice } from "../api/use-lattice.tsx";
import controls from "../styles/controls.module.css";
import { toVisibleLine } from "../text/visible-line.ts";
import { VisibleText } from "../text/visible-text.tsx";
import styles from "./standing-form.module.css";
import { type RuleKind, type RuleRow, rowsOf, toKind, toRules } from "./standing-rules.ts";

interface StandingFormProps {
  readonly approval: Approval;
  /** The call can't be approved now, or the card moves. */
  readonly isDisabled: boolean;
  readonly hintId: string;
  readonly onApprove: (standing: StandingRequest) => void;
  readonly onBack: () => void;
}

const KINDS: Readonly<Record<RuleKind, string>> = {
  same: "as in this call",
  "one-of": "one of these, a line each",
  prefix: "this folder or address, and what lies in it",
  "at-most": "at most this number",
  any: "anything",
};
const SCOPES = {
  session: "this session",
  principal: "this principal",
  role: "everybody with its role",
} as const;
const TIMES = { "1h": "1 hour", "8h": "8 hours", "1d": "1 day", "7d": "7 days", "30d": "30 days" } as const;

/** Waits until typing pauses. */
const PAUSE_MS = 250;

interface Terms {
  readonly scope: keyof typeof SCOPES;
  readonly level: string;
  readonly trust: string;
  readonly time: keyof typeof TIMES;
  readonly count: string;
}

export function StandingForm(props: StandingFormProps): ReactNode {
  const { approval, isDisabled, hintId, onApprove, onBack } = props;
  const titleId = useId();
  const form = useRef<HTMLFormElement>(null);
  const { session_label: label } = approval;
  const [rows, setRows] = useState(() => rowsOf(approval));
  const [terms, setTerms] = useState<Terms>({
    scope: "session",
    level: label.level,
    trust: label.trust,
    time: "8h",
    count: "20",
  });
  const request = toRequest(rows, terms, approval);
  const { offer, problem } = useOffer(approval.id, request);
  useEffect(() => form.current?.querySelector("select")?.focus(), []);
  const isHeld = isDisabled || offer === null;
  const change = (name: string, next: RuleRow): void =>
    setRows(rows.map((row) => (row.name === name ? next : row)));
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && !event.nativeEvent.isComposing) onBack();
  };
  return (
    <form
      ref={form}
      className={styles.form}
      aria-labelledby={titleId}
      onKeyDown={onKeyDown}
      onSubmit={(event) => event.preventDefault()}
    >
      <h3 id={titleId}>Approve this call, and calls like it</h3>
      {rows.map((row) => (
        <Row key={row.name} row={row} onChange={(next) => change(row.name, next)} />
      ))}
      <TermFields terms={terms} label={label} onChange={setTerms} />
      <p className={styles.words} role={problem === null ? "status" : "alert"}>
        {problem ?? (offer === null ? "Asking what that covers …" : <VisibleText>{offer.words}</VisibleText>)}
      </p>
      <div className={styles.buttons}>
        <button
          type="button"
          className={`${controls.primary} ${controls.large}`}
          aria-disabled={isHeld}
          aria-describedby={hintId}
          onClick={() => !isHeld && onApprove(offer.standing)}
        >
          {approval.release ? "Release and approve" : "Approve"} this, and calls like it
        </button>
        <button type="button" className={`${controls.quiet} ${controls.large}`} onClick={onBack}>
          Back
        </button>
      </div>
    </form>
  );
}

interface RowProps {
  readonly row: RuleRow;
  readonly onChange: (row: RuleRow) => void;
}

function Row({ row, onChange }: RowProps): ReactNode {
  const { name, kinds, kind, text } = row;
  const id = useId();
  const shown = toVisibleLine(name);
  const field = {
    className: controls.field,
    "aria-label": `${shown}: ${KINDS[kind]}`,
    value: text,
    autoComplete: "off",
    spellCheck: false,
  };
  return (
    <div className={styles.row}>
      <label className={styles.name} htmlFor={id}>
        <VisibleText>{name}</VisibleText>
      </label>
      <Choice
        id={id}
        value={kind}
        options={pick(KINDS, kinds)}
        onChange={(next) => onChange(toKind(row, next))}
      />
      {kind === "one-of" ? (
        <textarea {...field} rows={3} onChange={({ target }) => onChange({ ...row, text: target.value })} />
      ) : (
        (kind === "prefix" || kind === "at-most") && (
          <input {...field} type="text" onChange={({ target }) => onChange({ ...row, text: target.value })} />
        )
      )}
    </div>
  );
}

interface TermFieldsProps {
  readonly terms: Terms;
  readonly label: Approval["session_label"];
  readonly onChange: (terms: Terms) => void;
}

/** Whose calls, at which label, for how long and how many. */
function TermFields({ terms, label, onChange }: TermFieldsProps): ReactNode {
  const { levels, trust } = useLattice();
  const countId = useId();
  // Below the session's present label it would cover nothing.
  const higher = levels.slice(Math.max(0, levels.indexOf(label.level)));
  const lower = trust.slice(0, trust.indexOf(label.trust) + 1);
  const set = <Key extends keyof Terms>(key: Key, value: Terms[Key]): void =>
    onChange({ ...terms, [key]: value });
  return (
    <div className={styles.terms}>
      <Choice label="For" value={terms.scope} options={SCOPES} onChange={(scope) => set("scope", scope)} />

      {levels.includes(label.level) && (
        <Choice
          label="While it holds at most"
          value={terms.level}
          options={same(higher)}
          onChange={(level) => set("level", level)}
        />
      )}
      {lower.length > 1 && (
        <Choice
          label="From authors at least"
          value={terms.trust}
          options={same(lower)}
          onChange={(next) => set("trust", next)}
        />
      )}
      <Choice
        label="For how long"
        value={terms.time}
        options={TIMES}
        onChange={(time) => set("time", time)}
      />

      <div className={controls.label}>
        <label htmlFor={countId}>Calls at most</label>
        <input
          id={countId}
          className={controls.field}
          type="number"
          min={1}
          max={1000}
          value={terms.count}
          onChange={({ target }) => set("count", target.value)}
        />
      </div>
    </div>
  );
}

interface ChoiceProps<Key extends string> {
  readonly id?: string;
  readonly label?: string;
  readonly value: Key;
  readonly options: Readonly<Partial<Record<Key, string>>>;
  readonly onChange: (value: Key) => void;
}

function Choice<Key extends string>(props: ChoiceProps<Key>): ReactNode {
  const { label, value, options, onChange } = props;
  const ownId = useId();
  const id = props.id ?? ownId;
  const keys = Object.keys(options) as Key[];
  const choice = (
    <select
      id={id}
      className={controls.field}
      value={value}
      onChange={({ target }) => onChange(keys.find((key) => key === target.value) ?? value)}
    >
      {keys.map((key) => (
        <option key={key} value={key}>
          {options[key]}
        </option>
      ))}
    </select>
  );
  if (label === undefined) return choice;
  return (
    <div className={controls.label}>
      <label htmlFor={id}>{label}</label>
      {choice}
    </div>
  );
}

const pick = <Key extends string>(
  all: Readonly<Record<Key, string>>,
  keys: readonly Key[],
): Partial<Record<Key, string>> =>
  Object.fromEntries(keys.map((key) => [key, all[key]])) as Partial<Record<Key, string>>;

const same = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, toVisibleLine(name)]));

type Asked = { readonly request: StandingRequest } | { readonly problem: string };

function toRequest(rows: readonly RuleRow[], terms: Terms, { session_label }: Approval): Asked {
  const said = toRules(rows);
  if ("problem" in said) return said;
  const { scope, level, trust, time, count } = terms;
  const ceiling = { ...session_label, level, trust };
  if (!/^\d{1,4}$/.test(count)) return { problem: "Write how many calls it may be for." };
  const known = level === "*" ? {} : { ceiling };
  return { request: { arguments: said.rules, for: scope, ...known, expires: time, count: Number(count) } };
}

interface Offered {
  /** Null until the present form has a sentence. */
  readonly offer: StandingOffer | null;
  readonly problem: string | null;
}

function useOffer(id: string, asked: Asked): Offered {
  const text = JSON.stringify(asked);
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const isSettled = settled === text;
  const { data, error } = useQuery({ ...offerQuery(id, asked), enabled: isSettled && "request" in asked });
  if ("problem" in asked) return { offer: null, problem: asked.problem };
  if (!isSettled) return { offer: null, problem: null };
  if (error !== null) return { offer: null, problem: wordsOf(error) };
  return { offer: data ?? null, problem: null };
}

const offerQuery = (id: string, asked: Asked) =>
  queryOptions({
    queryKey: ["standing-offer", id, JSON.stringify(asked)],
    staleTime: "static",
    gcTime: 0,
    retry: false,
    queryFn: ({ signal }) =>
      answerOf(
        api.POST("/v1/approvals/{approval}/standing", {
          params: { path: { approval: id } },
          body: "request" in asked ? asked.request : {},
          signal,
        }),
      ),
  });

const wordsOf = (error: Error): string =>
  error instanceof ApiError ? `${error.message} ${error.why} ${error.fix}` : error.message;
