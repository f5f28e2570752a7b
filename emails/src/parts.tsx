import { Fragment, type ReactNode } from 'react'
import { light } from './palette.ts'

export function Heading({ children }: { children: ReactNode }) {
  return (
    <h1
      className="ink"
      style={{ margin: '0 0 16px', fontSize: '20px', lineHeight: '28px', color: light.ink }}
    >
      {children}
    </h1>
  )
}

/** Below the mail's heading. */
export function Subheading({ children }: { children: ReactNode }) {
  return (
    <h2
      className="ink"
      style={{ margin: '0 0 4px', fontSize: '16px', lineHeight: '24px', fontWeight: 700, color: light.ink }}
    >
      {children}
    </h2>
  )
}

/** Six digits, to be read across a room. */
export function BigCode({ children }: { children: string }) {
  return (
    <p
      className="ink"
      style={{
        margin: '0 0 16px',
        fontSize: '34px',
        lineHeight: '40px',
        fontWeight: 700,
        letterSpacing: '6px',
        color: light.ink,
      }}
    >
      {children}
    </p>
  )
}

export function Paragraph({ children }: { children: ReactNode }) {
  return (
    <p className="ink" style={{ margin: '0 0 16px', color: light.ink }}>
      {children}
    </p>
  )
}

/** One line of facts: the label on the left, the figure on the right. */
export function Fact({ label, children }: { label: string; children: ReactNode }) {
  const cell = { padding: '8px 0', borderBottom: `1px solid ${light.border}` }
  return (
    <tr>
      <td className="muted rule" style={{ ...cell, color: light.muted, whiteSpace: 'nowrap' }}>
        {label}
      </td>
      <td
        className="ink rule"
        align="right"
        // Reasons are somebody's own words.
        dir="auto"
        style={{ ...cell, color: light.ink, fontWeight: 600, fontVariantNumeric: 'tabular-nums' }}
      >
        {children}
      </td>
    </tr>
  )
}

export function Facts({ children }: { children: ReactNode }) {
  return (
    <table role="presentation" width="100%" cellPadding={0} cellSpacing={0} style={{ marginBottom: '20px' }}>
      <tbody>{children}</tbody>
    </table>
  )
}

/** A person's own words, escaped by React, with the line breaks they made, in the direction in which they are written. */
export function Notes({ children }: { children: string }) {
  return (
    <p
      className="ink rule"
      dir="auto"
      style={{
        margin: '0 0 20px',
        paddingLeft: '14px',
        borderLeft: `3px solid ${light.border}`,
        textAlign: 'start',
        color: light.ink,
        overflowWrap: 'anywhere',
      }}
    >
      {withBreaks(children)}
    </p>
  )
}

/** Real breaks, since some readers know no `white-space`. */
function withBreaks(text: string): ReactNode {
  return [...text.matchAll(/[^\r\n]+|\r\n?|\n/g)].map(({ 0: piece, index }) =>
    /[\r\n]/.test(piece) ? <br key={index} /> : <Fragment key={index}>{piece}</Fragment>,
  )
}

export function Button({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a
      className="button"
      href={href}
      style={{
        display: 'inline-block',
        padding: '10px 18px',
        borderRadius: '8px',
        background: light.ink,
        color: light.card,
        fontWeight: 600,
        textDecoration: 'none',
      }}
    >
      {children}
    </a>
  )
}

export function QuietLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a className="muted" href={href} style={{ color: light.muted }}>
      {children}
    </a>
  )
}
