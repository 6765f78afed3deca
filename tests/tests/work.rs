//! Work is proportional to bytes, whatever a server sends: instructions are counted, so these figures are the same on every
//! machine.

mod work {
    pub mod families;
    pub mod metered;
}

use work::families::{FAMILIES, Family, MEMORIES, plain};
use work::metered::Metered;

#[test]
fn table() {
    let bytes = std::env::var("LRO_WORK").map_or(lro::COMPONENT.to_vec(), |f| std::fs::read(f).unwrap());
    let size: usize = std::env::var("SIZE").map_or(100_000, |size| size.parse().unwrap());
    let only = std::env::var("ONLY").unwrap_or_default();
    let metered = Metered::new(&bytes);
    let plain: &[Family] = &[("plain", plain)];
    println!("{:45} {:>9} {:>7} {:>7} {:>7} {:>7}", "", "bytes", "offload", "result", "descr.", "rebuild");
    for (operation, (name, document)) in
        [plain, FAMILIES].concat().iter().map(|f| ("fetch", f)).chain(MEMORIES.iter().map(|f| ("recall", f)))
    {
        if !name.contains(&only) {
            continue;
        }
        let mut rows = Vec::new();
        for size in [size, 4 * size] {
            metered.clean();
            let text = document(size);
            let by = |fuel: u64| fuel / text.len() as u64;
            let o = metered.offload_for(operation, &text);
            let fail = |c: &work::metered::Call| {
                if c.answer.is_err() {
                    "!"
                } else if c.shown().contains("offloaded\", Some") {
                    ""
                } else {
                    "-"
                }
            };
            let f = fail(&o);
            let mut row = format!("{name:45} {:>9} {:>7}{f}", text.len(), by(o.fuel));
            if std::fs::read_dir(metered.dir()).unwrap().count() > 0 {
                let file = metered.file();
                let d = metered.describe(&file);
                let r = metered.rebuild(&file);
                row += &format!(
                    " {:>7}{} {:>7}{}  ",
                    by(d.fuel),
                    if d.answer.is_err() { "!" } else { "" },
                    by(r.fuel),
                    if r.answer.is_err() { "!" } else { "" }
                );
                for n in 1..=10 {
                    let e = metered.recipe(&file, n);
                    row += &format!(" {:>5}{}", by(e.fuel), if e.answer.is_err() { "!" } else { "" });
                }
            }
            let m = metered.offload_result(&text);
            row += &format!("  mcp {}{}", by(m.fuel), if m.answer.is_err() { "!" } else { "" });
            if let Err(e) = &o.answer {
                row += &e.lines().last().unwrap_or_default().chars().take(60).collect::<String>()
            }
            rows.push(row);
        }
        println!("{}\n{}", rows[0], rows[1]);
    }
}
