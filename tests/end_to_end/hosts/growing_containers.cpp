// Containers that grow by doubling: the old and the new block live side by side for a moment.
#include <map>
#include <string>
#include <vector>

int main() {
  std::size_t sum = 0;
  for (int round = 0; round < 3; ++round) {
    std::vector<double> numbers;
    std::map<int, std::string> words;
    for (int i = 0; i < 30000; ++i) {
      numbers.push_back(i);
      if (i % 10 == 0)
        words[i] = std::string(static_cast<std::size_t>(i % 300), 'w');
    }
    sum += numbers.size() + words.size();
  }
  return sum == 3 * 33000 ? 0 : 1;
}
