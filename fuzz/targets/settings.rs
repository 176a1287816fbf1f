#![no_main]
//! Everything that users write in TOML: settings as a file and as `--set`, suites and studies.

use cloth::bench::{Study, Suite};
use cloth::Methods;
use cloth::config::Layers;
use cloth_fuzz::with_file;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let layers = || Methods::builtin().layers("cloth").expect("the default is valid");
    if let Ok(config) = with_file("settings.toml", text.as_bytes(), |path| layers().file(path)).and_then(Layers::build) {
        // A valid configuration is the same after it is written and read again.
        let again = with_file("again.toml", config.to_toml().as_bytes(), |path| layers().file(path)).and_then(Layers::build);
        assert_eq!(again.expect("a configuration reads its own text"), config);
    }
    if let Ok(layers) = layers().set(text) {
        let _ = layers.build();
    }
    let _ = Suite::parse(text, "suite.toml");
    let _ = Study::parse(text, "study.toml");
});
