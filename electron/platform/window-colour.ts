/** The colour of an empty view in light and dark: the window's background before its page loads, to avoid flashing. */
export const windowColourOf = (isDark: boolean): string => (isDark ? '#17171b' : '#ffffff');
