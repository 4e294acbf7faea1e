/** A saved mapping as a file: writes it, and reads untrusted input safely. Pure. */
import type { Mapping } from '../../electron/shared/dataset-model.ts';
import {
  type PresetContent,
  type SharedMapping,
  sharedMapping,
} from '../../electron/shared/preset-contract.ts';
import { isSharedText, readShared, sharedText } from '../../electron/shared/shared-text.ts';
import { formatCount } from './format.ts';

const MAPPING = { format: 'spandeck-mapping', noun: 'mapping', schema: sharedMapping };

/** File name suffix of mappings. */
export const MAPPING_FILE_ENDING = '.spandeck-mapping.json';
/** Larger files are not read: the widest mapping of 2,000 columns is smaller. */
export const MAX_MAPPING_FILE_BYTES = 8_000_000;
const LISTED = 12;

export const mappingText = (shared: SharedMapping): string => sharedText(MAPPING.format, shared);

/** Whether the content of a file looks like a mapping, intact or damaged. */
export const isMappingText = (text: string): boolean => isSharedText(MAPPING.format, text);

type ReadMapping = { isOk: true; shared: SharedMapping } | { isOk: false; problem: string };

export function readSharedMapping(text: string): ReadMapping {
  const read = readShared(
    MAPPING,
    text,
    'The file is damaged or cut off. Save it again, then drop it again.',
  );
  if (!read.isOk) return read;
  const { name, mapping } = read.value;
  return { isOk: true, shared: { name, mapping } };
}

/** Mappings of spans are lists; those of files name columns and a model. */
export const isOfSpans = (content: PresetContent): content is Mapping => Array.isArray(content);

/** Facts of a mapping for a person who decides whether to save it. */
export function describeMapping(content: PresetContent): { name: string; value: string }[] {
  if (isOfSpans(content)) {
    return [
      { name: 'For', value: 'spans that become items of a dataset' },
      {
        name: 'Fields',
        value: listed(content.map(({ bucket, field, key }) => `${bucket}.${field} from ${key}`)),
      },
    ];
  }
  const { layout, columns, model, repairs, replacements } = content;
  const sent = columns.flatMap(({ source, target }) => (target === null ? [] : [`${source} as ${target}`]));
  return [
    { name: 'For', value: 'files that are sent as events' },
    { name: 'Model', value: model.name },
    { name: 'Columns of the file', value: formatCount(layout.length, 'column') },
    { name: 'Sent', value: listed(sent) },
    ...(repairs.length + replacements.length === 0
      ? []
      : [{ name: 'Repairs', value: formatCount(repairs.length + replacements.length, 'rule') }]),
  ];
}

function listed(names: readonly string[]): string {
  const more = names.length - LISTED;
  const shown = names.slice(0, LISTED).join(', ');
  return more > 0 ? `${shown} and ${formatCount(more, 'more', 'more')}` : shown || 'none';
}
