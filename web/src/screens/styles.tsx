import { Primitives } from '../features/styles/primitives.tsx'

/** /styles: every primitive on one page, for developers who build screens. No page links to it. */
export function StylesScreen() {
  return (
    <>
      <meta name="robots" content="noindex" />
      <h1 className="text-2xl font-semibold tracking-tight">Styles</h1>
      <Primitives />
    </>
  )
}
