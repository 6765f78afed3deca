// The records that all tests use.

/** Issues as a tracker lists them, about 160 bytes each. The title of one names its number, and occurs once. */
export const issues = (count) =>
  Array.from({ length: count }, (_, index) => ({
    id: index,
    title: `issue number ${index} of the tracker`,
    state: index % 3 === 0 ? 'open' : 'closed',
    author: `person${index % 7}`,
    url: `https://tracker.example/issues/${index}`,
    comments: index % 11,
  }));
