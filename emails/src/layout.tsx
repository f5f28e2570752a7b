import { BRAND_FIRST_WORD, BRAND_SECOND_WORD } from '@tradepost/contract/brand'
import type { ReactNode } from 'react'
import { darkSheet, FONT, light } from './palette.ts'

type LayoutProps = {
  title: string
  /**
   * Shown by inboxes behind the subject, and hidden in the mail: they take a mail's first words. Readers that make text of HTML show
   * it, so the sender's name stands before it, and it is a sentence, or the beginning of one.
   */
  preview: string
  footer: ReactNode
  children: ReactNode
}

/** One column of at most 600 px, without images: nothing to load, nothing to track, nothing lost when they are off. */
export function Layout({ title, preview, footer, children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{title}</title>
        <style>{darkSheet}</style>
      </head>
      <body className="page" style={{ margin: 0, padding: 0, background: light.page }}>
        <table
          role="presentation"
          className="page"
          width="100%"
          cellPadding={0}
          cellSpacing={0}
          style={{ background: light.page }}
        >
          <tbody>
            <tr>
              <td align="center" style={{ padding: '24px 12px' }}>
                <Column preview={preview} footer={footer}>
                  {children}
                </Column>
              </td>
            </tr>
          </tbody>
        </table>
      </body>
    </html>
  )
}

function Column({ preview, footer, children }: Omit<LayoutProps, 'title'>) {
  return (
    <table
      role="presentation"
      width="100%"
      cellPadding={0}
      cellSpacing={0}
      style={{ maxWidth: '600px', textAlign: 'left' }}
    >
      <tbody>
        <tr>
          <td style={{ padding: '0 4px 16px' }}>
            <Wordmark />
            <div style={hidden}>{preview}</div>
          </td>
        </tr>
        <tr>
          <td className="card ink" style={card}>
            {children}
          </td>
        </tr>
        <tr>
          <td className="muted" style={{ padding: '16px 4px 0', ...small }}>
            {footer}
          </td>
        </tr>
      </tbody>
    </table>
  )
}

/** The mark and the two words. */
function Wordmark() {
  return (
    <span
      className="ink"
      style={{ fontFamily: FONT, fontSize: '18px', lineHeight: '24px', color: light.ink }}
    >
      <Mark />
      <span style={{ fontWeight: 700 }}>{BRAND_FIRST_WORD}</span>
      <span style={{ fontWeight: 300 }}>{BRAND_SECOND_WORD}</span>
    </span>
  )
}

/** A post with a flag, drawn with borders since readers show no SVG; the clear one at the right cuts the flag's tails. */
function Mark() {
  return (
    <span className="mark" style={post}>
      <span className="mark" style={flag} />
    </span>
  )
}

const post = {
  display: 'inline-block',
  height: '19px',
  borderLeft: `2px solid ${light.accent}`,
  marginRight: '7px',
  verticalAlign: '-4px',
} as const

const flag = {
  display: 'block',
  width: '8px',
  height: 0,
  marginTop: '2px',
  borderTop: `4px solid ${light.accent}`,
  borderBottom: `4px solid ${light.accent}`,
  borderRight: '3px solid transparent',
} as const

const hidden = { display: 'none', maxHeight: 0, overflow: 'hidden', opacity: 0, fontSize: '1px' } as const

const small = { fontFamily: FONT, fontSize: '13px', lineHeight: '20px', color: light.muted } as const

const card = {
  background: light.card,
  border: `1px solid ${light.border}`,
  borderRadius: '10px',
  padding: '28px 24px',
  fontFamily: FONT,
  fontSize: '16px',
  lineHeight: '24px',
  color: light.ink,
} as const
