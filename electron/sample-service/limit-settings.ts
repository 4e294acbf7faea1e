/** The enforced limits: those of the interface, none, or those of the interface with overrides from a file. */
import { LIMIT_CATEGORIES, type LimitCategory, type LimitWindow } from '../core/limits/limits.ts';
import * as z from '../shared/zod.ts';
import { describeIssues } from './issues.ts';
import { LIMIT_POLICIES, type LimitPolicy } from './window-counters.ts';

export interface LimitSettings {
  policy: LimitPolicy;
  categories: Readonly<Record<LimitCategory, readonly LimitWindow[]>>;
}

const CATEGORY_NAMES = Object.keys(LIMIT_CATEGORIES) as LimitCategory[];

const windowSchema = z.strictObject({
  count: z.int().min(1),
  lengthMs: z.int().min(1),
});

/**
 * Overrides, e.g. `{"policy": "rolling", "categories": {"metadata-read": [{"count": 5, "lengthMs": 1000}],
 * "event-deletion": "off"}}`.
 */
export const limitOverrides = z.strictObject({
  policy: z.enum(LIMIT_POLICIES).optional(),
  categories: z
    .partialRecord(z.enum(CATEGORY_NAMES), z.union([z.literal('off'), z.array(windowSchema).min(1)]))
    .optional(),
});
export type LimitOverrides = z.infer<typeof limitOverrides>;

/** `spec`: the limits of SERVICE.md S8. `off`: no limits. Otherwise SERVICE.md S8 with overrides. */
export function limitSettings(choice: 'spec' | 'off' | LimitOverrides): LimitSettings {
  const overrides: LimitOverrides = typeof choice === 'string' ? {} : choice;
  const windowsOf = (name: LimitCategory): readonly LimitWindow[] => {
    if (choice === 'off') return [];
    const override = overrides.categories?.[name];
    if (override === 'off') return [];
    return override ?? LIMIT_CATEGORIES[name].windows;
  };
  return {
    policy: overrides.policy ?? 'rolling',
    categories: {
      'metadata-read': windowsOf('metadata-read'),
      'metadata-write': windowsOf('metadata-write'),
      'spans-query': windowsOf('spans-query'),
      'event-deletion': windowsOf('event-deletion'),
      'genai-deletion': windowsOf('genai-deletion'),
      unlisted: windowsOf('unlisted'),
    },
  };
}

/** Parses the contents of a limits file; throws an Error that names the place of a problem. */
export function parseLimitOverrides(value: unknown): LimitOverrides {
  const parsed = limitOverrides.safeParse(value);
  if (!parsed.success) throw new Error(`The limits are not valid: ${describeIssues(parsed.error)}`);
  return parsed.data;
}
