/** What one call of a workspace's tools may cost. Names end in their unit; others count characters or things. */
const KIB = 1024;
const MIB = 1024 * KIB;

/** Characters of one argument: each is examined several times before a call is decided. */
export const MAX_ARGUMENT_LENGTH = 8 * MIB;
export const MAX_PATH_LENGTH = 4096;
/** Names in one path: each is looked up several times. */
export const MAX_PATH_NAMES = 256;
/** Links on the way of one path, as Linux has it. */
export const MAX_LINKS = 40;
/** Files of a repository that have a protected name, which may be links. */
export const MAX_LINKED_NAMES = 20_000;

/** Of a file that is read whole, replaced, deleted or moved: what was shown is what is acted on. */
export const MAX_FILE_BYTES = 64 * MIB;
/** Of a text that is looked through before a change: nothing else goes on meanwhile. */
export const MAX_TEXT_BYTES = 4 * MIB;
/** Of a file of which a part is shown, and characters of each of its lines. */
export const MAX_READ_BYTES = 32 * MIB;
export const MAX_READ_LINE = 2000;
/** Places that are replaced at once, and characters that may come of it. */
export const MAX_REPLACEMENTS = 100_000;
export const MAX_EDITED_CHARACTERS = 64 * MIB;
/** Of a change that a person is shown; what is longer, or takes longer, isn't compared line by line. */
export const MAX_PREVIEW_BYTES = 256 * KIB;
export const MAX_COMPARED_CHARACTERS = 512 * KIB;
export const MAX_COMPARE_MS = 25;

/** Characters of one result. */
export const MAX_RESULT_LENGTH = 256 * KIB;
export const MAX_SEARCH_LINES = 10_000;
export const MAX_GLOB_RESULTS = 1000;
/** Of one search; larger files are left out, and longer lines cut. */
export const MAX_SEARCH_MS = 20_000;
export const MAX_SEARCHED_BYTES = 16 * MIB;
export const MAX_FOUND_BYTES = 8 * MIB;
export const MAX_FOUND_LINE = 500;
/** Characters of a regular expression: no program takes an argument of any length. */
export const MAX_EXPRESSION_LENGTH = 16 * KIB;
export const MAX_GLOB_LENGTH = 1024;
/** Patterns that the braces of one may stand for. */
export const MAX_GLOB_ALTERNATIVES = 256;

/** Entries below a folder that is searched or listed, and paths in it that are checked one by one. */
export const MAX_WALKED = 100_000;
export const MAX_FOLDER_CHECKS = 100;
/** Of git's list of a folder that another program searches, about 100,000 names; beyond it a person is asked. */
export const MAX_LISTING_BYTES = 8 * MIB;
export const MAX_FOREIGN_LISTING_MS = 5000;
/** Files beyond what git lists, such as the policy, before a person is asked unseen. */
export const MAX_FOREIGN_CHECKS = 20;
/** Entries of a folder that is moved: with more, a person is asked without them. */
export const MAX_MOVED = 20_000;
/** A folder with more in it is moved by nobody: what is protected couldn't be told. */
export const MAX_MOVE_WALKED = 200_000;

/** Of one answer of git's. */
export const MAX_GIT_MS = 3000;
export const MAX_GIT_BYTES = 64 * MIB;
/** Of a command that an agent runs, and of what it writes. */
export const MAX_COMMAND_MS = 600_000;
export const MAX_COMMAND_BYTES = 8 * MIB;
