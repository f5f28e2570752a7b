import type { ReactNode } from 'react'
import { Layout } from './layout.tsx'
import { Button, Fact, Facts, Heading, Paragraph } from './parts.tsx'
import { wrap } from './wrap.ts'

/** A label on the left, a figure on the right. */
export type Row = readonly [label: string, value: string]

/** A mail about prices that were set right after they were published; its HTML and its text contain the same words. */
export type Correction = {
  /** The heading too. */
  subject: string
  rows: readonly Row[]
  explained: string
  /** Where in Activity the button leads. */
  activityUrl: string
}

const ACTION = 'View in Activity'

/** @param props.children the part before the button */
export function CorrectionFrame({
  activityUrl,
  children,
  explained,
  footer,
  rows,
  subject,
}: Correction & { footer: ReactNode; children?: ReactNode }) {
  return (
    <Layout title={subject} preview={explained} footer={footer}>
      <Heading>{subject}</Heading>
      <Rows rows={rows} />
      <Paragraph>{explained}</Paragraph>
      {children}
      <Button href={activityUrl}>{ACTION}</Button>
    </Layout>
  )
}

export function Rows({ rows }: Pick<Correction, 'rows'>) {
  return (
    <Facts>
      {rows.map(([label, value]) => (
        <Fact key={label} label={label}>
          {value}
        </Fact>
      ))}
    </Facts>
  )
}

/** @param parts.more paragraphs that come before the link */
export function correctionText(
  { activityUrl, explained, rows, subject }: Correction,
  { footer, more = [] }: { footer: string; more?: readonly string[] },
): string {
  const whole = [subject, rowsText(rows), wrap(explained), ...more, `${ACTION}: ${activityUrl}`, footer]
  return whole.join('\n\n')
}

export function rowsText(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([label]) => label.length)) + 2
  return rows.map(([label, value]) => `${`${label}:`.padEnd(width)}${value}`).join('\n')
}
