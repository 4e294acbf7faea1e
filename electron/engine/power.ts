/** The state of battery and network, and whether planned readings wait for a better one. */
import { heldBy, type PowerRules, type PowerState, UNKNOWN_POWER } from '../shared/power-model.ts';

interface PowerDeps {
  settings: () => PowerRules;
  onChange: (state: PowerState) => void;
  /** Called when planned readings may start. */
  onFree: () => void;
}

export interface Power {
  /** Updates the state from the system or the window, and returns the new state. */
  report(news: Partial<PowerState>): PowerState;
  /** Why planned readings wait, and until when; null if they may start. */
  heldBy(): string | null;
  /** Checks again, because the settings may have changed. */
  look(): void;
}

export function createPower({ settings, onChange, onFree }: PowerDeps): Power {
  let state = UNKNOWN_POWER;
  let held: string | null = null;
  const look = () => {
    const before = held;
    held = heldBy(state, settings());
    if (before !== null && held === null) onFree();
  };
  return {
    report: (news) => {
      const next = { ...state, ...news };
      const isSame =
        next.isOnBattery === state.isOnBattery &&
        next.charge === state.charge &&
        next.isMetered === state.isMetered;
      state = next;
      look();
      if (!isSame) onChange(state);
      return state;
    },
    heldBy: () => heldBy(state, settings()),
    look,
  };
}
