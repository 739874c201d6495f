/** What a tool does, as far as the verbs of its name say. A word that nobody knows says nothing. */
import { wordSet } from "./name-words.ts";

/** From the least to the most that a call may do. */
export type Effect = "reads" | "writes" | "sends" | "destroys" | "executes";

const VERBS: Readonly<Record<Effect, ReadonlySet<string>>> = {
  reads: wordSet(`
    get list ls read search find fetch query describe show view lookup look count check inspect browse retrieve load
    scan tail head cat stat status info diff blame summarize summarise analyze analyse compare validate verify preview
    explain discover poll watch monitor whoami tree exists peek see display examine locate filter screenshot snapshot
    history log ask recall select grep glob`),
  writes: wordSet(`
    create add insert update edit write set put patch move rename copy append modify change save store assign close
    reopen open merge fork star unstar mark archive unarchive restore register enable disable start stop toggle
    trigger commit stage tag label branch checkout make new generate build apply import sync upsert attach detach
    link unlink lock unlock pin unpin approve reject accept decline resolve complete finish schedule reschedule
    initialize init configure remember record track log-in login logout subscribe unsubscribe join leave follow
    unfollow vote rate react bookmark convert compress extract unzip zip mount unmount connect disconnect refresh
    increment decrement duplicate clone promote cherry amend stash install navigate click type press drag hover fill
    goto scroll tap swipe select wrap unwrap acquire release pause resume retry rerun play skip transition
    move download dump`),
  sends: wordSet(`
    send post publish tweet reply forward invite share notify email mail broadcast submit upload push comment call dial
    transfer pay purchase order book buy sell trade deploy announce request review message respond dm text charge
    refund donate transmit export crosspost retweet dispatch print ship deliver report`),
  destroys: wordSet(`
    delete remove drop destroy purge wipe clear reset revoke cancel kill terminate truncate uninstall ban kick rebase
    force clean prune unassign erase forget discard overwrite replace rm del trash expire deactivate suspend shutdown
    reboot restart abort rollback revert empty format block evict drain dismiss`),
  executes: wordSet(`
    execute exec run eval evaluate shell bash command invoke script spawn terminal powershell python node repl sql
    graphql cypher subprocess sudo mutate mutation code`),
};

const ORDER: readonly Effect[] = ["executes", "destroys", "sends", "writes", "reads"];

/** Verbs that are nouns too: `list_commits` commits nothing. They count where no verb stands before them. */
const NOUNS = wordSet(`
  post comment commit merge fork branch tag label star update push pull review release stage draft note order share
  copy build run log stash mark reply report request transfer book set move message call change record schedule
  archive text mail email review link open new info status tree history head diff block code command script format
  python node select mutation type filter store charge print upload label view watch count check preview`);

/** How verbs are joined: `list_and_delete`. */
const JOINING = new Set(["and", "or", "then"]);

const effectOf = (word: string): Effect | null => ORDER.find((effect) => VERBS[effect].has(word)) ?? null;

/** What the words of a name do. Empty where no verb is known. */
export function effectsOf(words: readonly string[]): ReadonlySet<Effect> {
  const effects = new Set<Effect>();
  for (const [index, word] of words.entries()) {
    const effect = effectOf(word);
    const isNoun = effects.size > 0 && NOUNS.has(word) && !JOINING.has(words[index - 1] ?? "");
    if (effect !== null && !isNoun) effects.add(effect);
  }
  return effects;
}

/** What the first word of a description does, which is often a verb: "Deletes the file …". */
export function effectsOfSentence(words: readonly string[]): ReadonlySet<Effect> {
  const [first = ""] = words;
  const forms = [first, first.replace(/s$/, ""), first.replace(/es$/, "")];
  const found = forms.map(effectOf).find((effect) => effect !== null) ?? null;
  return new Set(found === null ? [] : [found]);
}
