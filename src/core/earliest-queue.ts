/** A queue that gives the least number first: a binary heap. */

export interface EarliestQueue {
  push(value: number): void;
  /** The least one, which stays. */
  peek(): number | undefined;
  /** Takes the least one out. */
  pop(): number | undefined;
}

export function createEarliestQueue(): EarliestQueue {
  const heap: number[] = [];
  const at = (index: number): number => heap[index] ?? Number.POSITIVE_INFINITY;
  const swap = (left: number, right: number): void => {
    [heap[left], heap[right]] = [at(right), at(left)];
  };
  return {
    push: (value) => {
      heap.push(value);
      for (let child = heap.length - 1; child > 0; ) {
        const parent = (child - 1) >> 1;
        if (at(parent) <= at(child)) return;
        swap(parent, child);
        child = parent;
      }
    },
    peek: () => heap[0],
    pop: () => {
      const least = heap[0];
      const moved = heap.pop();
      if (least === undefined || moved === undefined || heap.length === 0) return least;
      heap[0] = moved;
      for (let parent = 0; ; ) {
        const left = 2 * parent + 1;
        const child = at(left + 1) < at(left) ? left + 1 : left;
        if (at(child) >= at(parent)) return least;
        swap(parent, child);
        parent = child;
      }
    },
  };
}
