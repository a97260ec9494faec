/** Numbers with 8 bytes for each. */
export class NumberList {
  private numbers = new Float64Array(16);
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** Returns the number at an index below the size. */
  at(index: number): number {
    return this.numbers[index] as number;
  }

  add(number: number): void {
    if (this.count === this.numbers.length) {
      const larger = new Float64Array(this.count * 2);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    this.numbers[this.count++] = number;
  }
}

/** Ids, which are added in ascending order. */
export class SortedIds extends NumberList {
  has(id: number): boolean {
    return this.rankOf(id) !== undefined;
  }

  /** Returns the index of an id; undefined if it is not among them. */
  rankOf(id: number): number | undefined {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.at(middle) < id) low = middle + 1;
      else high = middle;
    }
    return low < this.size && this.at(low) === id ? low : undefined;
  }
}
