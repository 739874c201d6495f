/** What a tool does, as far as the verbs of its name say. A word that nobody knows says nothing. */
import { hasWord, wordSet } from "./name-words.ts";

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
    swap ack acknowledge rotate renew grant adjust reorder sort shuffle provision reserve claim lease enqueue dequeue pop
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
/** Where what was read is put: `load_file_into_table`. */
const INTO = new Set(["into", "onto"]);

/** Verbs that read and are nouns too. Before another verb they say what that one is about: `list_move`. */
const READS_AS_NOUNS = wordSet("list ls search query view find count filter show preview grep diff");
/** Those that as a verb may change something: `check_in`, `log_time`, `watch_repository`. As nouns they read: `git_log`. */
const WEAK = wordSet(`
  status info history log load check head tail cat stat snapshot screenshot watch monitor poll ask recall exists tree
  scan look display verify`);
/** Nouns that are verbs at the end of a name that begins with a noun: `search_index_build`, `status_update`. */
const ENDING_VERBS = wordSet(`
  run build set update move copy share merge change store push pull schedule open link transfer post fork stage stash
  mark reply call charge upload archive review release commit print report book order record request`);
/** Before what reads, these say of what: `git_log`, `db_info`, `user_search`. */
const TOPICS = wordSet(`
  git db database server system service repo repository file folder directory cluster pod container job task health disk
  network user account project issue ticket mail email message channel contact customer order invoice event calendar
  page browser document docs note wiki web code image video product item build pipeline deployment table schema index
  memory knowledge graph node api app host process device sensor weather stock price`);

/** Changes that leave what is there as it is. */
const ADDS = wordSet(`
  create add append insert make new generate tag label branch star bookmark assign attach comment note draft`);
/** Changes that can't be undone, though they don't say that they destroy. */
const OVERWRITES = wordSet(`
  update edit write put patch move rename merge push overwrite replace swap protect unprotect set-default rotate
  cherry checkout branch tag stash worktree remote reschedule`);

/** Whether a name's changes only add something. */
export const onlyAdds = (words: readonly string[]): boolean => {
  const changes = words.filter((word) => VERBS.writes.has(word));
  return changes.length > 0 && changes.every((word) => ADDS.has(word));
};

/** Whether a name's changes may lose what was there before. */
export const overwrites = (words: readonly string[]): boolean => hasWord(words, OVERWRITES);

const effectOf = (word: string): Effect | null => ORDER.find((effect) => VERBS[effect].has(word)) ?? null;

interface NamedEffects {
  /** Empty if no verb is known. */
  readonly effects: ReadonlySet<Effect>;
  /** A word by which it may do more than read; null if its verbs leave no doubt. */
  readonly doubt: string | null;
}

/** What the words of a name do. */
export function effectsOf(words: readonly string[]): NamedEffects {
  const effects = new Set<Effect>();
  let isAfterVerb = false;
  for (const [index, word] of words.entries()) {
    const effect = effectInName(words, index);
    const isNoun = isAfterVerb && NOUNS.has(word) && !JOINING.has(words[index - 1] ?? "");
    if (effect === null || isNoun) continue;
    effects.add(effect);
    // What may be a noun itself makes no noun of the verb that ends the name.
    isAfterVerb ||= !mayBeNoun(word) || !ENDING_VERBS.has(words.at(-1) ?? "") || index === words.length - 1;
  }
  return { effects, doubt: doubtIn(words, effects) };
}

const mayBeNoun = (word: string): boolean => READS_AS_NOUNS.has(word) || WEAK.has(word);

function effectInName(words: readonly string[], index: number): Effect | null {
  const word = words[index] ?? "";
  // A log is read where the name ends with it, and written where it begins with it.
  if (word === "log" && index === 0 && words.length > 1) return "writes";
  if (word === "fetch" && words[index - 1] === "git") return "writes";
  return effectOf(word);
}

/** The word by which a name that only seems to read may do more. */
function doubtIn(words: readonly string[], effects: ReadonlySet<Effect>): string | null {
  if ([...effects].some((effect) => effect !== "reads") || effects.size === 0) return null;
  const joined = words.find((word, at) => JOINING.has(words[at - 1] ?? "") && effectOf(word) === null);
  const into = words.find((word) => INTO.has(word));
  if (joined !== undefined || into !== undefined) return joined ?? into ?? null;
  const first = words.findIndex((word) => effectOf(word) === "reads");
  const verb = words[first] ?? "";
  // A verb that only reads, whatever stands around it.
  if (words.some((word) => effectOf(word) === "reads" && !mayBeNoun(word))) return null;
  const isLast = first === words.length - 1;
  const isAboutTopics = words.slice(0, first).every((word) => hasWord([word], TOPICS));
  if (WEAK.has(verb)) return isLast && first > 0 && isAboutTopics ? null : verb;
  return isLast && first > 0 && !isAboutTopics ? (words[0] ?? null) : null;
}

/** What the first word of a description does, which is often a verb: "Deletes the file …". */
export function effectsOfSentence(words: readonly string[]): ReadonlySet<Effect> {
  const [first = ""] = words;
  const forms = [first, first.replace(/s$/, ""), first.replace(/es$/, "")];
  const found = forms.map(effectOf).find((effect) => effect !== null) ?? null;
  return new Set(found === null ? [] : [found]);
}
