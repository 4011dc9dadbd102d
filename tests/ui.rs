//! What must not compile: each file below `tests/ui` is an attempt to get raw text past the wall, or around a stage.

#[test]
fn attempts_to_pass_the_wall_do_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
