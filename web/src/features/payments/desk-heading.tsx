/** Over each part of the desk. */
export function DeskHeading({ children }: { children: string }) {
  return <h3 className="text-sm font-semibold">{children}</h3>
}
