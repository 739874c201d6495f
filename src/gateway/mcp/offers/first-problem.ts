/**
 * The SDK's validation of a server's data, up to the first problem.
 * THREAT: the SDK collects every problem, at up to 50 µs each, and the server chooses how many there are. So list
 * entries are validated one by one before the SDK validates the whole.
 */
import { isSpecType } from "@modelcontextprotocol/server";
import { isJsonObject } from "../../../json/json-object.ts";

/** So few blocks are left to the SDK, because each may contain a large picture. */
const FEW_BLOCKS = 16;

export function hasValidBlocks(content: unknown): boolean {
  const isFew = Array.isArray(content) && content.length <= FEW_BLOCKS;
  return isEach(content, (block) => hasValidLists(block) && (isFew || isSpecType.ContentBlock(block)));
}

export const hasValidMessages = (messages: unknown): boolean =>
  isEach(
    messages,
    (message) => isJsonObject(message) && hasValidLists(message.content) && isSpecType.PromptMessage(message),
  );

export const hasValidContents = (contents: unknown): boolean =>
  isEach(contents, (one) => isSpecType.TextResourceContents(one) || isSpecType.BlobResourceContents(one));

/** Whether the lists in a block, a resource or a prompt have valid entries. */
export function hasValidLists(entry: unknown): boolean {
  if (!isJsonObject(entry)) return false;
  const { annotations, icons, arguments: parameters } = entry;
  const audience = isJsonObject(annotations) ? annotations.audience : undefined;
  return (
    isEach(audience, isSpecType.Role) &&
    isEach(icons, isIcon) &&
    isEach(parameters, isSpecType.PromptArgument)
  );
}

const isIcon = (icon: unknown): boolean =>
  isJsonObject(icon) && isEach(icon.sizes, isText) && isSpecType.Icon(icon);

const isText = (value: unknown): boolean => typeof value === "string";

/** True for anything but a list: the SDK reports that at once. */
const isEach = (list: unknown, isValid: (entry: unknown) => boolean): boolean =>
  !Array.isArray(list) || list.every(isValid);
