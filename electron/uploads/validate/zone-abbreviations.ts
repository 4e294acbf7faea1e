/** Abbreviations of time zones that have only one meaning each. Pure. */

export const UTC_WORDS = new Set(['z', 'utc', 'gmt', 'ut']);
/** Abbreviations used in only one region. They also determine whether it is summer time. */
export const ABBREVIATIONS: Readonly<Record<string, string>> = {
  ...{
    EST: '-05:00',
    EDT: '-04:00',
    CDT: '-05:00',
    MST: '-07:00',
    MDT: '-06:00',
    PST: '-08:00',
    PDT: '-07:00',
  },
  ...{
    WET: '+00:00',
    WEST: '+01:00',
    CET: '+01:00',
    CEST: '+02:00',
    EET: '+02:00',
    EEST: '+03:00',
    MSK: '+03:00',
  },
  ...{ JST: '+09:00', KST: '+09:00' },
};

/**
 * True for an abbreviation in capitals, as programs write it. In small letters, some are weekdays in other languages.
 */
export const isZoneAbbreviation = (word: string): boolean =>
  word === word.toUpperCase() && (Object.hasOwn(ABBREVIATIONS, word) || UTC_WORDS.has(word.toLowerCase()));
