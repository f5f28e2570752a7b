/*
 * First words of the keys of what is asked about money. Apart from the questions themselves: the live feed, which every page loads,
 * knows what they are called and asks none.
 */
export const SUBSCRIPTIONS = 'subscriptions'
export const PAYOUT_STATUS = 'payout-status'
export const DESK = 'desk'
export const PAYOUTS = 'payouts'
