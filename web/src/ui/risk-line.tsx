import { RISK_SENTENCE } from '@tradepost/contract/risk'

/** The risk, quietly beside what shows gains, where no list that loads moves it (rule G-125). */
export function RiskLine() {
  return <p className="text-sm text-muted-foreground">{RISK_SENTENCE}</p>
}
