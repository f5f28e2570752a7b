/** /activity: what those one follows published (decision G-86). */
export function ActivityScreen() {
  return <h1 className="text-2xl font-semibold tracking-tight">Activity</h1>
}
