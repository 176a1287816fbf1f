//! The list of methods, which callers can extend.

use std::fmt;
use std::sync::Arc;

use super::{
    Recipe, adda, cdan, cloth, cmd, dan, dann, deep_coral, deepjdot, homm, mcc, shot, source_only, spl,
};
use crate::config::{Config, Layers};
use crate::error::{Problem, Result};

/// Methods by name. The first is the default.
///
/// ```
/// let methods = cloth::Methods::builtin();
/// assert_eq!(methods.find("mcc")?.reference(), "MCC, ECCV 2020");
/// assert!(methods.find("mmc").err().unwrap().help().unwrap().contains("mcc"));
/// # Ok::<(), cloth::Error>(())
/// ```
#[derive(Clone)]
pub struct Methods(Vec<Arc<dyn Recipe>>);

impl Methods {
    /// The methods of this library, CLOTH first.
    pub fn builtin() -> Self {
        Self(vec![
            Arc::new(cloth::Cloth),
            Arc::new(source_only::SourceOnly),
            Arc::new(dan::Dan),
            Arc::new(deep_coral::DeepCoral),
            Arc::new(cmd::Cmd),
            Arc::new(homm::Homm),
            Arc::new(dann::Dann),
            Arc::new(adda::Adda),
            Arc::new(cdan::Cdan { entropy_conditioning: false }),
            Arc::new(cdan::Cdan { entropy_conditioning: true }),
            Arc::new(deepjdot::DeepJdot),
            Arc::new(mcc::Mcc),
            Arc::new(shot::Shot),
            Arc::new(spl::Spl),
        ])
    }

    /// No methods, to be filled by [`with`](Self::with).
    pub fn none() -> Self {
        Self(Vec::new())
    }

    /// Adds a method. Its name must be new, and its defaults must be valid.
    pub fn with(mut self, recipe: impl Recipe + 'static) -> Result<Self> {
        let recipe: Arc<dyn Recipe> = Arc::new(recipe);
        let name = recipe.name();
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if name.is_empty() || !name.chars().all(plain) || name == "name" {
            return Err(Problem::at("method")
                .found(format!("the name `{name}`"))
                .wanted("lower-case letters, digits and underscores, and not `name`")
                .into());
        }
        if self.0.iter().any(|known| known.name() == name) {
            return Err(Problem::at("method")
                .found(format!("a second `{name}`"))
                .wanted("a unique name for each method")
                .into());
        }
        recipe.layers()?.build()?;
        self.0.push(recipe);
        Ok(self)
    }

    /// The method of that name, or an error that suggests the nearest name.
    pub fn find(&self, name: &str) -> Result<&Arc<dyn Recipe>> {
        self.0.iter().find(|recipe| recipe.name() == name).ok_or_else(|| {
            let problem = Problem::setting("method.name")
                .found(format!("`{name}`"))
                .wanted(format!("one of {}", self.names().join(", ")));
            let nearest = self.names().into_iter().map(|known| (strsim::jaro_winkler(known, name), known));
            match nearest.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(score, _)| *score > 0.75) {
                Some((_, near)) => problem.help(format!("did you mean `{near}`?")).into(),
                None => problem.into(),
            }
        })
    }

    /// Whether there is a method of that name.
    pub fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|recipe| recipe.name() == name)
    }

    /// The methods, the default first.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Recipe>> {
        self.0.iter()
    }

    /// Names of the methods, the default first.
    pub fn names(&self) -> Vec<&str> {
        self.0.iter().map(|recipe| recipe.name()).collect()
    }

    /// A method's default settings, as the first of the layers.
    pub fn layers(&self, name: &str) -> Result<Layers> {
        self.find(name)?.layers()
    }

    /// A method's default configuration.
    pub fn config(&self, name: &str) -> Result<Config> {
        self.layers(name)?.build()
    }
}

impl Default for Methods {
    fn default() -> Self {
        Self::builtin()
    }
}

impl fmt::Debug for Methods {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Methods").field(&self.names()).finish()
    }
}
