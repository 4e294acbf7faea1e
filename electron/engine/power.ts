/** The state of battery and network in this process, and whether planned readings wait for another one. */
import { heldBy, type PowerRules, type PowerState, UNKNOWN_POWER } from '../shared/power-model.ts';

interface PowerDeps {
  settings: () => PowerRules;
  onChange: (state: PowerState) => void;
  /** Planned readings may start now. */
  onFree: () => void;
}

export interface Power {
  /** Takes what the system or the window states, and returns the state after that. */
  report(news: Partial<PowerState>): PowerState;
  /** Why planned readings wait, and until when; null if they start. */
  heldBy(): string | null;
  /** The settings may have changed. */
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
