/** Limits of one call of a workspace's tools. Names end with their unit; others count characters or things. */
const KIB = 1024;
const MIB = 1024 * KIB;

/** Characters of one argument, which is examined several times before a call is decided. */
export const MAX_ARGUMENT_LENGTH = 8 * MIB;
export const MAX_PATH_LENGTH = 4096;
/**
 * Names in one path, each of which is looked up several times. THREAT: git enters each folder of untracked files, and
 * one deep path makes many.
 */
export const MAX_PATH_NAMES = 64;
/** Links in one path, as in Linux. */
export const MAX_LINKS = 40;
/** Files of a repository with a protected name, which may be links. */
export const MAX_LINKED_NAMES = 20_000;
/** Names of one path through links. */
export const MAX_NAMES_BY_LINKS = 1000;

/** Size of a file that is read as a whole, replaced, deleted or moved. */
export const MAX_FILE_BYTES = 64 * MIB;
/** Size of a text that is searched before a change, in one turn of the event loop. */
export const MAX_TEXT_BYTES = 4 * MIB;
/** Size of a file of which a part is shown, and characters of each of its lines. */
export const MAX_READ_BYTES = 32 * MIB;
export const MAX_READ_LINE = 2000;
/** Replacements at once, and characters of the result. */
export const MAX_REPLACEMENTS = 100_000;
export const MAX_EDITED_CHARACTERS = 64 * MIB;
/** Size of a diff for a person; a longer or slower comparison is skipped. */
export const MAX_PREVIEW_BYTES = 256 * KIB;
export const MAX_COMPARED_CHARACTERS = 512 * KIB;
export const MAX_COMPARE_MS = 25;

/** Characters of one result. */
export const MAX_RESULT_LENGTH = 256 * KIB;
export const MAX_SEARCH_LINES = 10_000;
export const MAX_GLOB_RESULTS = 1000;
/** Time of one search; larger files are skipped, longer lines truncated. */
export const MAX_SEARCH_MS = 20_000;
export const MAX_SEARCHED_BYTES = 16 * MIB;
export const MAX_FOUND_BYTES = 8 * MIB;
export const MAX_FOUND_LINE = 500;
/** Characters of a regular expression, since program arguments are limited. */
export const MAX_EXPRESSION_LENGTH = 16 * KIB;
export const MAX_GLOB_LENGTH = 1024;
/** Alternatives of a pattern's braces. */
export const MAX_GLOB_ALTERNATIVES = 256;

/** Entries below a folder that is searched or listed, and paths in it that are checked one by one. */
export const MAX_WALKED = 100_000;
export const MAX_FOLDER_CHECKS = 100;
/** Git's list of a folder that another program searches, about 100,000 names; with more, approval is needed. */
export const MAX_LISTING_BYTES = 8 * MIB;
export const MAX_FOREIGN_LISTING_MS = 5000;
/** Files that git doesn't list, such as the policy; with more, approval is needed without checking them. */
export const MAX_FOREIGN_CHECKS = 20;
/** Entries of a moved folder; with more, approval is needed without checking them. */
export const MAX_MOVED = 20_000;
/** A folder with more entries can't be moved, because protected files in it couldn't be found. */
export const MAX_MOVE_WALKED = 200_000;

/** Calls of one label holder that are examined at once; further ones wait. */
export const MAX_EXAMINATIONS = 4;
/** Time of one question to git. */
export const MAX_GIT_MS = 3000;
export const MAX_GIT_BYTES = 64 * MIB;
/** Time of an agent's command, and size of its output. */
export const MAX_COMMAND_MS = 600_000;
export const MAX_COMMAND_BYTES = 8 * MIB;
