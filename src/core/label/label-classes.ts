/** Numbers for labels: equal ones get the same, in the order of their first appearance. */
import type { Label } from "./label.ts";

export class LabelClasses {
  readonly labels: Label[] = [];
  readonly #byObject = new Map<Label, number>();
  readonly #plain = new Map<string, Map<string, number>>();
  readonly #byValue = new Map<string, number>();

  classOf(label: Label): number {
    const known = this.#byObject.get(label);
    if (known !== undefined) return known;
    const found = label.categories.length === 0 ? this.#classOfPlain(label) : this.#classOfAny(label);
    this.#byObject.set(label, found);
    return found;
  }

  /** Most labels have no category and need no text key. */
  #classOfPlain(label: Label): number {
    const byTrust = this.#plain.get(label.level) ?? new Map<string, number>();
    const found = byTrust.get(label.trust) ?? this.labels.push(label) - 1;
    byTrust.set(label.trust, found);
    this.#plain.set(label.level, byTrust);
    return found;
  }

  #classOfAny(label: Label): number {
    const key = JSON.stringify([label.level, label.trust, label.categories]);
    const found = this.#byValue.get(key) ?? this.labels.push(label) - 1;
    this.#byValue.set(key, found);
    return found;
  }
}
