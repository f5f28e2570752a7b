/*
 * First words of the keys of queries about money. Apart from the queries themselves: the live feed, which every page loads,
 * needs their names and asks none.
 */
export const SUBSCRIPTIONS = 'subscriptions'
export const PAYOUT_STATUS = 'payout-status'
export const DESK = 'desk'
export const PAYOUTS = 'payouts'
