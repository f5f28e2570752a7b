import type { ComponentType } from 'react'
import type { Plugin } from 'swagger-ui-dist/swagger-ui-es-bundle.js'

const FAILURE = 'The calls could not be loaded. Please try again in a moment.'

type LayoutProps = {
  specSelectors: { loadingStatus(): string }
  getComponent: (name: string, container: true) => ComponentType
}

/**
 * Parts of the renderer that are drawn otherwise: texts without the HTML that the page's policy refuses, and a layout that
 * stands in a page which has its own main part, heading and introduction.
 */
export const plainParts: Plugin = ({ React: { createElement } }) => {
  /** Paragraphs with `code`, the only marks that the contract's texts have. */
  function Markdown({ source = '' }: { source?: string }) {
    const paragraphs = source.split('\n\n').filter((text) => text !== '')
    return createElement('div', { className: 'renderedMarkdown' }, paragraphs.map(paragraph))
  }
  function paragraph(text: string) {
    const parts = text.split('`').map((part, index) => {
      const key = `${index} ${part}`
      return index % 2 === 1 ? createElement('code', { key }, part) : part
    })
    return createElement('p', { key: text }, ...parts)
  }
  /** The path of a call as text: the original is a link inside a button, two ways to press one thing. */
  function DeepLink({ text }: { text: string }) {
    return createElement('span', null, text)
  }
  function PlainLayout({ specSelectors, getComponent }: LayoutProps) {
    const status = specSelectors.loadingStatus()
    if (status.startsWith('failed')) return createElement('p', { role: 'alert' }, FAILURE)
    if (status !== 'success') return null
    const parts = ['AuthorizeBtnContainer', 'operations'].map((name) =>
      createElement(getComponent(name, true), { key: name }),
    )
    return createElement('div', { className: 'swagger-ui' }, parts)
  }
  return { components: { Markdown, DeepLink, PlainLayout, ServersContainer: () => null } }
}
