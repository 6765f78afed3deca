// What the README's examples take for granted.

declare const records: Record<string, unknown>[];
declare function sendToModel(text: string): void;
declare function orders(): Promise<{ id: number; open: boolean; total: number }[]>;
declare function recall(): { content: { type: "text"; text: string }[] };
