import type { QueryState } from '@tanstack/react-query'

const PAUSE_MS = 2000
/** Half a minute in all: the provider notifies the server within seconds, or something is wrong that waiting will not mend. */
const LOOKS = 15

/**
 * For `refetchInterval`: what a person did at the provider's page can reach the server a moment after they are back
 * (rule G-76), so the first answer may be an old one. Asks every 2 s, for half a minute.
 * @param returned whether they come from there
 * @param settled whether an answer leaves nothing to wait for
 */
export function askAgain<Data>(returned: boolean, settled: (data: Data) => boolean = () => false) {
  return ({ state }: { state: QueryState<Data> }): number | false => {
    if (!returned || state.dataUpdateCount + state.errorUpdateCount >= LOOKS) return false
    return state.data !== undefined && settled(state.data) ? false : PAUSE_MS
  }
}
