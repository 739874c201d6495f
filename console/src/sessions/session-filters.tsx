/** Filters of the list. They are in the address, so that a filtered list can be sent to a colleague. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, type RefObject, useEffect, useState } from "react";
import { policyQuery, type SessionFilters } from "../api/queries.ts";
import controls from "../styles/controls.module.css";
import { hasFilters } from "./list-filters.ts";
import styles from "./sessions-page.module.css";

/** How long to wait for a pause in typing. */
const REST_MS = 200;

interface SessionFiltersProps {
  readonly filters: SessionFilters;
  readonly onChange: (change: SessionFilters) => void;
  readonly onClear: () => void;
  readonly principal: RefObject<HTMLInputElement | null>;
}

export function Filters({ filters, onChange, onClear, principal }: SessionFiltersProps): ReactNode {
  const { data: policy } = useQuery(policyQuery());
  return (
    <search className={styles.filters}>
      <PrincipalField value={filters.principal ?? ""} onChange={onChange} field={principal} />
      <Choice
        label="Role"
        none="Any role"
        value={filters.role}
        options={policy?.roles.map(({ name }) => name) ?? []}
        onChange={(role) => onChange({ role })}
      />
      <Choice
        label="Level"
        none="Any level"
        value={filters.level}
        options={policy?.levels ?? []}
        onChange={(level) => onChange({ level })}
      />
      <Check label="Refused calls" isOn={filters.refused} onChange={(refused) => onChange({ refused })} />
      <Check label="Waiting" isOn={filters.waiting} onChange={(waiting) => onChange({ waiting })} />
      <Check label="Closed" isOn={filters.closed} onChange={(closed) => onChange({ closed })} />
      {hasFilters(filters) && (
        <button type="button" className={controls.quiet} onClick={onClear}>
          Clear filters
        </button>
      )}
    </search>
  );
}

interface PrincipalFieldProps {
  readonly value: string;
  readonly onChange: (change: SessionFilters) => void;
  readonly field: RefObject<HTMLInputElement | null>;
}

function PrincipalField({ value, onChange, field }: PrincipalFieldProps): ReactNode {
  const [written, setWritten] = useState(value);
  const [known, setKnown] = useState(value);
  // The address was changed elsewhere.
  if (known !== value) {
    setKnown(value);
    if (written.trim() !== value) setWritten(value);
  }
  useEffect(() => {
    const principal = written.trim();
    if (principal === value) return;
    const timer = setTimeout(() => onChange({ principal }), REST_MS);
    return () => clearTimeout(timer);
  }, [written, value, onChange]);
  return (
    <label className={controls.label}>
      Principal
      <input
        ref={field}
        type="text"
        className={controls.field}
        value={written}
        maxLength={256}
        spellCheck={false}
        autoComplete="off"
        aria-keyshortcuts="/"
        onChange={(event) => setWritten(event.target.value)}
      />
    </label>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly none: string;
  readonly value: string | undefined;
  readonly options: readonly string[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, none, value = "", options, onChange }: ChoiceProps): ReactNode {
  // The address may name what the policy doesn't have.
  const all = value === "" || options.includes(value) ? options : [value, ...options];
  return (
    <label className={controls.label}>
      {label}
      <select className={controls.field} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{none}</option>
        {all.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </label>
  );
}

interface CheckProps {
  readonly label: string;
  readonly isOn: boolean | undefined;
  readonly onChange: (isOn: boolean) => void;
}

function Check({ label, isOn = false, onChange }: CheckProps): ReactNode {
  return (
    <label className={controls.check}>
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}
