import { RISK_SENTENCE } from '@tradepost/contract/risk'
import { wrap } from './wrap.ts'

/** The risk, at the end of mails about positions (rule G-125). */
export function Risk() {
  return <div style={{ paddingBottom: '8px' }}>{RISK_SENTENCE}</div>
}

export const RISK_TEXT = wrap(RISK_SENTENCE)
