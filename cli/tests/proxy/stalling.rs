//! Remote servers that do not take what they are sent: the client is still heard, and the proxy ends with it.

use std::thread::sleep;
use std::time::Duration;

use serde_json::json;

use crate::remote::{json_reply, serve, usual, write};
use crate::streamable::conversation;
use crate::trials;

trials![notifications_that_nobody_takes_hold_up_nothing];

fn notifications_that_nobody_takes_hold_up_nothing() {
    let (url, _requests) = serve(|request, stream| {
        if request.method() == "notifications/x" {
            sleep(Duration::from_secs(60));
        }
        let answer = json!({"jsonrpc": "2.0", "id": request.body["id"], "result": {}});
        write(stream, &usual(request).unwrap_or_else(|| json_reply(&answer)));
    });
    let mut client = conversation(&url, &[]);
    // More than wait: without a bound on the wait, nobody would read what comes after them.
    let line = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n";
    for _ in 0..130 {
        client.write(&line.repeat(100));
    }
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    assert_eq!(client.receive()["id"], 1);
    client.close_input();
    assert!(client.wait().success());
    let (output, _, _folder) = client.end();
    assert!(String::from_utf8_lossy(&output.stderr).contains("messages are left out"), "{output:?}");
}
