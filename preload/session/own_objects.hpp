/// Our objects in a list of objects to preload, as LD_PRELOAD has one: one object, or with
/// preload/copies two.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tidemark::preload {

/// Remembers what loaded us. Called once, at start. @param list the value of LD_PRELOAD.
void remember_objects(const char* list);
bool are_objects_known();

/// Call before the paths of our objects may no longer lead to them (change of root, user or
/// namespace): keeps descriptors of them for the programs that this process starts later.
void keep_objects();
/// Descriptors of our objects that a program inherited, in order; negative: none.
void adopt_objects(const int (&numbers)[2]);
/// Whether programs started from now on inherit the kept descriptors. What the loader found by
/// descriptors passes them on in any case.
void let_objects_pass(bool passes);
/// Lowest kept descriptor from `first` to `last`; negative if there is none.
int kept_object_in(unsigned first, unsigned last);

/// How the loader of a program that is started now finds our objects.
class ObjectNames {
 public:
  /// By their paths, or by the kept descriptors where the paths lead to no file (/proc must be
  /// there).
  ObjectNames();
  /// A list with a colon between two; nullptr where they are out of reach.
  [[nodiscard]] const char* list() const { return list_; }
  /// The kept descriptors, in order; negative: none.
  [[nodiscard]] const int (&numbers() const)[2] { return numbers_; }

 private:
  const char* list_ = nullptr;
  int numbers_[2] = {-1, -1};
  char by_descriptor_[64];
};

/// Whether a list names all of our objects; and any of them.
bool names_objects(const char* list);
bool names_an_object(const char* list);
/// Appends the objects of a list that are not ours, with a colon before each but the first of a
/// value. @return where the zero is.
char* append_other_objects(char* end, const char* list);

}  // namespace tidemark::preload
