/** The risk, in the one sentence that stands wherever positions are shown, mailed or sold (rule G-125). */
export const RISK_SENTENCE =
  'You can lose money: past gains promise nothing, and nothing here is investment advice.'
