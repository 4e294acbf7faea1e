/** Masks private values in the queries of request addresses. Pure. */
import { tellsNamedValue } from './named-values.ts';
import { MASKED, type Redactor } from './redact.ts';

/**
 * The address with some parameters masked: those with a masked name, filters that compare a masked field with a value,
 * and searches, which look into every field.
 */
export function maskedUrl(url: string, redactor: Redactor): string {
  const at = url.indexOf('?');
  if (at < 0) return url;
  const parameters = url
    .slice(at + 1)
    .split('&')
    .map((parameter) => {
      const [name, value] = decoded(parameter);
      const isPrivate =
        value === null ||
        name === 'search' ||
        redactor.isMaskedPath(name) ||
        tellsNamedValue(value, redactor) ||
        redactor.mask([value])[0] !== value;
      return isPrivate && value !== '' ? `${parameter.split('=', 1)[0]}=${MASKED}` : parameter;
    });
  return `${url.slice(0, at)}?${parameters.join('&')}`;
}

/** Name and value of a parameter; null for a value that cannot be decoded. */
function decoded(parameter: string): [name: string, value: string | null] {
  const at = parameter.indexOf('=');
  const name = at < 0 ? parameter : parameter.slice(0, at);
  try {
    return [name, at < 0 ? '' : decodeURIComponent(parameter.slice(at + 1).replaceAll('+', ' '))];
  } catch {
    return [name, null];
  }
}
