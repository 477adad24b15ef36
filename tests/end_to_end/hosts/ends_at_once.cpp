// ends_at_once: and has done nothing.
int main() {
  return 0;
}
