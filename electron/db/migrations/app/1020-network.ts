import type { Migration } from '../../migrate.ts';

/** Network settings that connections need in some companies, besides the proxy address. */
export const network: Migration = {
  number: 1_020,
  name: 'user name of the proxy, file of the client certificate',
  sql: `
    -- Names and paths. Passwords and passphrases are in the keychain, never here: only which of them there are.
    ALTER TABLE connection ADD COLUMN network_json TEXT CHECK (network_json IS NULL OR json_valid(network_json));
  `,
};
