/** As a pattern of JSON Schema: a username, a dot and a number. */
export const ACTIVITY_ITEM_PATTERN = '^([A-Za-z0-9][A-Za-z0-9_-]{1,14})\\.([1-9]\\d{0,14})$'

/** The name of an item of Activity in addresses: the event's trader, and its number. */
export function activityItemId(trader: string, eventNo: number): string {
  return `${trader}.${eventNo}`
}

/** @returns null for a text that is no item's name */
export function parseActivityItemId(id: string): { trader: string; eventNo: number } | null {
  const [, trader, eventNo] = new RegExp(ACTIVITY_ITEM_PATTERN).exec(id) ?? []
  return trader === undefined ? null : { trader, eventNo: Number(eventNo) }
}
