/**
 * The parts of a message's content, in the forms of providers and instrumentations: texts, reasoning, tool calls, their
 * results, pictures and files. Pure.
 */
import { toBase64 } from '../base64.ts';
import { isRawNumber } from '../exact-json.ts';
import { firstOf, isObject, type JsonObject, type MessagePart, readNested, textIn } from './message.ts';

const CALLS: ReadonlySet<unknown> = new Set([
  ...['tool_use', 'tool_call', 'function_call', 'server_tool_use', 'mcp_tool_use', 'server_tool_call'],
  ...['tool-call', 'function', 'custom_tool_call', 'non_standard_tool_call'],
]);
const RESULTS: ReadonlySet<unknown> = new Set([
  ...['tool_result', 'tool_call_response', 'function_call_output', 'custom_tool_call_output'],
  ...['mcp_tool_result', 'server_tool_call_response', 'server_tool_result', 'tool-result', 'tool-error'],
  ...['web_search_tool_result', 'code_execution_tool_result', 'tool-return', 'retry-prompt'],
]);
const THOUGHTS: ReadonlySet<unknown> = new Set(['thinking', 'reasoning', 'redacted_thinking', 'thought']);
const TEXTS: ReadonlySet<unknown> = new Set([
  ...[undefined, 'text', 'input_text', 'output_text', 'refusal', 'summary_text', 'text-plain'],
  ...['user-prompt', 'system-prompt', 'search_result', 'multimodal_text'],
]);
const MEDIA: ReadonlySet<unknown> = new Set([
  ...['image', 'image_url', 'input_image', 'image-url', 'blob', 'uri', 'file', 'input_file', 'media'],
  ...['input_audio', 'audio', 'audio-url', 'video', 'video-url', 'document', 'document-url', 'binary'],
  ...['resource', 'resource_link', 'source-url'],
]);

/** A tool call in any form. */
export function callOf(call: JsonObject): MessagePart {
  const inner = isObject(call['function'])
    ? call['function']
    : isObject(call['custom'])
      ? call['custom']
      : call;
  const given = firstOf(inner, 'arguments', 'input', 'args') ?? {};
  const name = textIn(firstOf(inner, 'name', 'toolName', 'tool_name')) || textIn(call['name']) || 'tool';
  return { kind: 'call', name, value: readNested(given), ...idOf(call) };
}

/** Whether a block is a call outside of a message, as in an answer that consists only of calls. */
export const isCall = (value: unknown): value is JsonObject =>
  isObject(value) &&
  (value['type'] === 'tool_call' ||
    value['type'] === 'tool_use' ||
    value['type'] === 'tool-call' ||
    value['toolCallType'] === 'function' ||
    value['type'] === 'function') &&
  (isObject(value['function']) || typeof (value['name'] ?? value['toolName']) === 'string');

function idOf(fields: JsonObject): { id?: string } {
  const id = textIn(
    firstOf(fields, 'tool_call_id', 'tool_use_id', 'toolCallId', 'toolUseId', 'call_id', 'id'),
  );
  return id === '' ? {} : { id };
}

/** A tool result in any form, followed by the pictures and files in it. */
export function resultOf(block: JsonObject): MessagePart[] {
  const value = firstOf(block, 'content', 'response', 'result', 'output', 'error', 'artifact');
  const name = textIn(firstOf(block, 'name', 'tool_name', 'toolName'));
  const blocks = Array.isArray(value) ? value : isObject(value) && MEDIA.has(value['type']) ? [value] : [];
  const media = blocks.filter(isMedia);
  const rest = media.length === 0 ? value : blocks.filter((each) => !media.includes(each));
  const isEmpty = rest === undefined || (Array.isArray(rest) && rest.length === 0);
  const said = isEmpty ? '' : readNested(plainContent(rest));
  return [{ kind: 'result', name, value: said, ...idOf(block) }, ...media.flatMap(partsOfBlock)];
}

function isMedia(block: unknown): boolean {
  const parts = isObject(block) ? partsOfBlock(block) : [];
  return parts.length > 0 && parts.every(({ kind }) => kind === 'picture' || kind === 'file');
}

function typeOf(block: JsonObject): unknown {
  const type = firstOf(block, 'type', 'part_kind', 'block_type');
  if (type !== undefined) return type;
  // The word for the type of a part, not of a file.
  const word = firstOf(block, 'content_type', 'kind');
  return typeof word === 'string' && !word.includes('/') ? word : undefined;
}

const isKnownType = (type: unknown): boolean =>
  type !== undefined && [CALLS, RESULTS, THOUGHTS, TEXTS, MEDIA].some((known) => known.has(type));

/** The content blocks that a list, or its JSON, consists of; null for any other value. */
export function blocksIn(value: unknown): unknown[] | null {
  const list = readNested(value);
  if (!Array.isArray(list) || list.length === 0) return null;
  return list.every((each) => isObject(each) && isKnownType(typeOf(each))) ? list : null;
}

/** The parts of one content block; empty for a block that only marks a step. */
export function partsOfBlock(block: unknown): MessagePart[] {
  if (typeof block === 'string') return [{ kind: 'text', text: block }];
  if (typeof block === 'number' || typeof block === 'boolean') return [{ kind: 'text', text: String(block) }];
  if (isRawNumber(block)) return [{ kind: 'text', text: block.digits }];
  if (!isObject(block)) return [{ kind: 'other', value: block }];
  // OpenInference wraps each part in an object of its own.
  if (isObject(block['message_content'])) return partsOfBlock(block['message_content']);
  const type = typeOf(block);
  if (type === 'step-start' || 'cachePoint' in block) return [];
  const wrapped = type === undefined ? wrappedPart(block) : null;
  if (wrapped !== null) return wrapped;
  if (CALLS.has(type)) return [callOf(block)];
  if (RESULTS.has(type)) return resultOf(block);
  const shown = toolOfWindow(block, type);
  if (shown !== null) return shown;
  const { text } = block;
  // A message of an assistant's thread (OpenAI) has its text next to the annotations.
  const plain = isObject(text) ? text['value'] : text;
  const said = [plain, block['content'], block['refusal']].find((each) => typeof each === 'string');
  if (THOUGHTS.has(type) || block['thought'] === true)
    return [{ kind: 'reasoning', text: thoughtIn(block, textIn(said)) }];
  if (MEDIA.has(type)) return mediaOf(block, textIn(type)) ?? [{ kind: 'other', value: block }];
  if (TEXTS.has(type) && typeof said === 'string') return [{ kind: 'text', text: said }];
  const inside = firstOf(block, 'content', 'parts');
  if (TEXTS.has(type) && Array.isArray(inside)) return inside.flatMap(partsOfBlock);
  return [{ kind: 'other', value: block }];
}

function thoughtIn(block: JsonObject, said: string): string {
  const direct = textIn(plainContent(block['thinking'])) || textIn(block['reasoning']) || said;
  if (direct !== '') return direct;
  const { summary } = block;
  const lines = Array.isArray(summary)
    ? summary.map((each) => (isObject(each) ? textIn(each['text']) : textIn(each)))
    : [];
  return lines.join('\n');
}

/** The part in an untyped block whose only field names its kind, as in Gemini and Bedrock. */
function wrappedPart(block: JsonObject): MessagePart[] | null {
  const call = firstOf(block, 'functionCall', 'function_call', 'toolUse', 'tool_call');
  if (isObject(call)) return [callOf(call)];
  const result = firstOf(block, 'functionResponse', 'function_response', 'toolResult', 'tool_call_result');
  if (isObject(result))
    return resultOf({ ...(isObject(result['origin']) ? result['origin'] : {}), ...result });
  // AutoGen lists calls and their results without a type.
  if (typeof block['name'] === 'string' && 'arguments' in block) return [callOf(block)];
  if (typeof block['call_id'] === 'string' && 'content' in block) return resultOf(block);
  const code = firstOf(block, 'executableCode', 'executable_code');
  if (isObject(code)) return [{ kind: 'call', name: 'code', value: code }];
  const ran = firstOf(block, 'codeExecutionResult', 'code_execution_result');
  if (isObject(ran)) return resultOf({ name: 'code', output: ran['output'] ?? ran });
  const guarded = firstOf(block, 'guardContent');
  if (isObject(guarded)) return partsOf(guarded['text'] ?? guarded);
  const inline = firstOf(block, 'inlineData', 'inline_data');
  if (isObject(inline)) return mediaFrom(inline);
  const file = firstOf(block, 'fileData', 'file_data');
  if (isObject(file)) return mediaFrom(file);
  const thought = block['reasoningContent'];
  if (isObject(thought)) {
    const inner = isObject(thought['reasoningText']) ? thought['reasoningText'] : thought;
    return [{ kind: 'reasoning', text: textIn(inner['text']) }];
  }
  for (const kind of ['image', 'document', 'video', 'audio'] as const) {
    const media = block[kind];
    if (isObject(media) && isObject(media['source']))
      return mediaFrom({ ...media['source'], mime_type: `${kind}/${textIn(media['format'])}` });
  }
  if ('json' in block && Object.keys(block).length === 1) return [{ kind: 'other', value: block['json'] }];
  return null;
}

/** Tools in the parts of Vercel's UI messages: the call together with its result. */
function toolOfWindow(block: JsonObject, type: unknown): MessagePart[] | null {
  const inner = isObject(block['toolInvocation']) ? block['toolInvocation'] : block;
  if (typeof type !== 'string' || typeof inner['toolCallId'] !== 'string') return null;
  const name = textIn(inner['toolName']) || type.replace(/^tool-/, '');
  const result = firstOf(inner, 'output', 'result', 'errorText');
  const call = callOf({ ...inner, name });
  return result === undefined ? [call] : [call, ...resultOf({ ...inner, name, output: result })];
}

/** Typed pictures, sound and files; null if their place is missing. */
function mediaOf(block: JsonObject, type: string): MessagePart[] | null {
  const hint = textIn(block['modality']) || type.replace(/^input_|[_-]url$/g, '');
  const { resource } = block;
  if (isObject(resource))
    return typeof resource['text'] === 'string'
      ? [{ kind: 'text', text: resource['text'] }]
      : mediaFrom({ ...resource, url: firstOf(resource, 'blob') ?? resource['uri'] }, hint);
  for (const name of ['source', 'file', 'input_audio', 'image', 'image_url', 'audio', 'video_url']) {
    const inner = block[name];
    if (typeof inner === 'string' && name !== 'source') return mediaFrom({ ...block, url: inner }, hint);
    if (!isObject(inner)) continue;
    // A text document.
    if (inner['type'] === 'text' && typeof inner['data'] === 'string')
      return [{ kind: 'text', text: inner['data'] }];
    if (inner['type'] === 'content') return partsOf(inner['content']);
    const deep = isObject(inner['image']) ? inner['image'] : inner;
    return mediaFrom({ ...block, ...deep }, hint);
  }
  return mediaFrom(block, hint);
}

/** The first base64 characters of picture formats. */
const PICTURES = [
  { begin: 'iVBORw0KGgo', type: 'image/png' },
  { begin: '/9j/', type: 'image/jpeg' },
  { begin: 'R0lGOD', type: 'image/gif' },
  { begin: 'UklGR', type: 'image/webp' },
] as const;
const PICTURE = /^image(?:\/|$)/;
const ADDRESSES = ['url', 'uri', 'file_uri', 'fileUri', 'file_url', 's3Location'] as const;
const CONTENTS = ['data', 'base64', 'bytes', 'content', 'file_data', 'blob'] as const;

/** `hint` is the block's own word for the medium, such as `image`. */
function mediaFrom(media: JsonObject, hint = ''): MessagePart[] {
  const stated = textIn(firstOf(media, 'mime_type', 'mimeType', 'media_type', 'mediaType'));
  const format = textIn(media['format']);
  const type = stated || (format === '' ? hint : `${hint || 'application'}/${format}`);
  const url =
    addressIn(media) || dataUrl(type, contentsIn(media)) || textIn(firstOf(media, 'file_id', 'fileId'));
  if (url === '') return [{ kind: 'other', value: media }];
  const isPicture = PICTURE.test(type) || /^data:image\//.test(url) || hint === 'image';
  return [{ kind: isPicture ? 'picture' : 'file', url }];
}

function addressIn(media: JsonObject): string {
  const value = firstOf(media, ...ADDRESSES);
  if (isObject(value)) return textIn(value['uri']) || textIn(value['url']);
  const text = textIn(value);
  // Some writers put the contents in the place of the address.
  return /^[\w.+-]+:/.test(text) ? text : '';
}

function contentsIn(media: JsonObject): string {
  const value = firstOf(media, ...CONTENTS) ?? media['url'];
  return Array.isArray(value) ? base64Of(value) : textIn(value);
}

/** Base64 of a list of bytes, the form in which JSON writes a buffer; empty for any other list. */
function base64Of(bytes: readonly unknown[]): string {
  const isByte = (each: unknown): each is number =>
    typeof each === 'number' && Number.isInteger(each) && each >= 0 && each < 256;
  return bytes.every(isByte) ? toBase64(bytes) : '';
}

function dataUrl(type: string, data: string): string {
  if (data === '') return '';
  if (data.startsWith('data:')) return data;
  const ofPicture = PICTURES.find(({ begin }) => data.startsWith(begin))?.type ?? 'image/x-unknown';
  const stated = PICTURE.test(type) ? ofPicture : 'application/octet-stream';
  return `data:${/\w\/\w/.test(type) ? type : stated};base64,${data}`;
}

/** The text of a list of only text blocks, or the value in a typed wrapper. */
export function plainContent(content: unknown): unknown {
  if (isObject(content) && 'value' in content && typeof content['type'] === 'string')
    return plainContent(content['value']);
  if (!Array.isArray(content) || content.length === 0) return content;
  const parts = content.flatMap(partsOfBlock);
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  if (texts.length === parts.length) return texts.join('\n');
  const [only] = parts;
  return parts.length === 1 && only?.kind === 'other' ? only.value : content;
}

export function partsOf(content: unknown): MessagePart[] {
  if (content === undefined || content === null || content === '') return [];
  const parts = Array.isArray(content) ? content.flatMap(partsOfBlock) : partsOfBlock(content);
  // An empty text next to other parts has no meaning.
  return parts.length < 2 ? parts : parts.filter((part) => part.kind !== 'text' || part.text !== '');
}
