import { RISK_SENTENCE } from '@tradepost/contract/risk'

/** The risk, quietly at the end of what shows gains (rule G-125). */
export function RiskLine() {
  return <p className="text-sm text-muted-foreground">{RISK_SENTENCE}</p>
}
