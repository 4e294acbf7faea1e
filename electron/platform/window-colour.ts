/** The colour of an empty view in light and dark: what the window has before its page is there, so that nothing flashes. */
export const windowColourOf = (isDark: boolean): string => (isDark ? '#17171b' : '#ffffff');
