// Ends at once, and has done nothing.
int main() {
  return 0;
}
