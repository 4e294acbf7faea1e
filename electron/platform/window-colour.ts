/**
 * The colour of an empty view in light and dark. It is the window's background until its page is loaded, to avoid
 * flashing.
 */
export const windowColourOf = (isDark: boolean): string => (isDark ? '#17171b' : '#ffffff');
