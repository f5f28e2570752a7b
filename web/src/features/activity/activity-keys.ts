/*
 * Keys of queries about Activity. Apart from the queries themselves: the live feed, which every page loads, needs the keys and asks
 * for no list.
 */

/** First word of every key here: what is published makes them stale. */
export const ACTIVITY = 'activity'

/**
 * Of the list of items.
 * @param item the item that the first page is to show; null for the newest
 * @param trader username of the one whose events alone are meant; null for all
 */
export function activityKey(item: string | null, trader: string | null = null) {
  return [ACTIVITY, 'list', item, trader?.toLowerCase() ?? null] as const
}
